/** An event on its way to webhooks. */
import type { WebhookSource } from './sources.ts';

/** Something that happened to an account, or a TRIGGER webhook that was fired. */
export interface DeliveryEvent {
  readonly id: string;
  readonly workspaceId: string;
  /** Null for a trigger that was fired without naming an account. */
  readonly accountId: string | null;
  readonly accountType: string | null;
  /** Null for a trigger. */
  readonly source: WebhookSource | null;
  readonly event: string;
  /** By the keys of the source (contract, endpoint 4), without those that {@link ownKeys} names. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** Keys that no emitter gives: they say which account the event is of, and which webhook it goes to. */
export const ownKeys: readonly string[] = ['account_id', 'account_type', 'webhook_name'];

/** The event of a TRIGGER webhook that is fired: of no source, and of no other webhook. */
export const triggerEvent = 'trigger';
