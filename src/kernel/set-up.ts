/** The ways to set a gateway up, each with what it serves beyond the endpoints of the contract. */
import { keysOf } from './lib/objects.ts';

const needs = {
  /** Postings that are stored here, to be read. */
  postings: ['embedded'],
  /** Webhooks of the gateway, with the accounts, events and deliveries that belong to them. */
  ownWebhooks: ['embedded', 'own-webhooks'],
  /** API keys of the gateway. */
  keys: ['embedded', 'own-webhooks', 'own-keys'],
} as const;

/** What an operation, a field or an argument cannot do without. */
export type Need = keyof typeof needs;

/** In front of a service: with webhooks or keys of the gateway, or with keys that are handed on to the service. */
export const setUps = ['embedded', 'own-webhooks', 'own-keys', 'forwarded-keys'] as const;

export type SetUp = (typeof setUps)[number];

export const serves = (setUp: SetUp, need: Need): boolean => needs[need].some((each) => each === setUp);

/** Whether nothing is left out. */
export const servesAll = (setUp: SetUp): boolean => keysOf(needs).every((need) => serves(setUp, need));
