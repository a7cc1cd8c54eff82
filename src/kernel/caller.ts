/** Who calls, and what it may do: the scopes and the accounts of its key. */
import { hash } from 'node:crypto';
import { ServiceError } from './errors.ts';
import { keysOf } from './lib/objects.ts';

export const scopes = {
  'accounts:read': 'List the connected accounts.',
  'jobs:read': 'Read job postings.',
  'jobs:write': 'Create, edit, publish and read job postings.',
  'posts:read': 'List posts.',
  'webhooks:read': 'List webhooks.',
  'webhooks:write': 'Create, update and delete webhooks, and read their secrets and header values.',
  'events:write': 'Emit account events.',
  'tokens:write': 'Create access tokens, which may do no more than the API key.',
} as const;
export type Scope = keyof typeof scopes;
export const scopeNames = keysOf(scopes);

/** A token that makes tokens would never end. */
export const unscopedToken: ReadonlySet<Scope> = new Set(['tokens:write']);

interface CallerToken {
  readonly id: string;
  /** Null for all, and for clients that are no page. */
  readonly origins: readonly string[] | null;
}

export interface Caller {
  /** The subject of limits: tokens count as their key, which can make any number of them. */
  readonly keyId: string;
  /** Null for a forwarded key. */
  readonly keyName: string | null;
  readonly workspaceId: string;
  readonly workspaceName: string | null;
  readonly scopes: ReadonlySet<Scope>;
  readonly token?: CallerToken;
  /** Null for every account of the workspace. */
  readonly accountIds: ReadonlySet<string> | null;
  readonly expiresAt: Date | null;
  /** Key that only the service can check: then nothing else here is true of it. */
  readonly forwardedKey?: ForwardedKey;
}

/** Nothing that prints a Caller shows it. */
export class ForwardedKey {
  readonly #key: string;

  constructor(key: string) {
    this.#key = key;
  }

  reveal(): string {
    return this.#key;
  }
}

/** Whose rows a caller reads: all of a workspace, or those of some accounts. */
export type Reach = Pick<Caller, 'workspaceId' | 'accountIds'>;

const rights = new WeakMap<Caller, string>();

/**
 * A hash of all that decides what a caller gets. Whatever callers may share (a result, a call, what is kept of either)
 * has it in its key: `keyId` is for what counts, as a key and its tokens are one subject of limits.
 */
export function rightsOf(caller: Caller): string {
  let known = rights.get(caller);
  if (known === undefined) {
    const { scopes, accountIds, forwardedKey, ...others } = caller;
    const lists = [[...scopes].sort(), accountIds && [...accountIds].sort()];
    known = hash('sha256', JSON.stringify([lists, forwardedKey?.reveal(), sortedEntries(others)]));
    rights.set(caller, known);
  }
  return known;
}

const sortedEntries = (fields: object) => Object.entries(fields).sort(([one], [other]) => (one < other ? -1 : 1));

/** Rejects with ServiceError `missing_credentials` without a key, else `invalid_credentials` or `expired_credentials` */
export type Authenticate = (apiKey: string | undefined) => Caller | Promise<Caller>;

export const missingKey = (reason = ''): ServiceError =>
  new ServiceError('missing_credentials', {
    detail: `${reason} Send an API key as X-API-KEY. GraphQL takes Authorization: Bearer as well.`.trimStart(),
  });

export const expiredKey = (): ServiceError =>
  new ServiceError('expired_credentials', { detail: 'The API key has expired: rotate it.', family: 'key' });

export const expiredToken = (): ServiceError =>
  new ServiceError('expired_credentials', { detail: 'The access token has expired: get another.', family: 'key' });

export const expiryOf = ({ token }: Caller): ServiceError => (token === undefined ? expiredKey() : expiredToken());

/** Older keys were made before reading jobs had a scope of its own: writing includes reading. */
const included: Readonly<Partial<Record<Scope, Scope>>> = { 'jobs:write': 'jobs:read' };

/** The scopes of which any permits what one does. */
export const permitting = (scope: Scope): readonly Scope[] => [
  scope,
  ...scopeNames.filter((each) => included[each] === scope),
];

export const permits = (granted: ReadonlySet<Scope>, scope: Scope): boolean =>
  granted.has(scope) || permitting(scope).some((each) => granted.has(each));

/** @throws ServiceError `insufficient_privileges` when the caller's key lacks the scope */
export function requireScope(caller: Caller, scope: Scope): void {
  if (permits(caller.scopes, scope)) return;
  throw new ServiceError('insufficient_privileges', {
    detail: `The API key or access token lacks the scope ${scope}.`,
  });
}

/** @param accountId null for what belongs to no account: it is beyond every limited key */
export const mayActFor = ({ accountIds }: Pick<Caller, 'accountIds'>, accountId: string | null): boolean =>
  accountIds === null || (accountId !== null && accountIds.has(accountId));

/** @throws ServiceError `account_mismatch` when the key is limited to other accounts of the workspace */
export function requireAccount(caller: Pick<Caller, 'accountIds'>, accountId: string): void {
  if (mayActFor(caller, accountId)) return;
  throw new ServiceError('account_mismatch', { detail: 'The API key is limited to other accounts of the workspace.' });
}

/** An empty list means all accounts. @throws ServiceError `account_mismatch` for it with a limited key */
export function requireNamedAccounts(caller: Caller, accountIds: readonly string[]): void {
  if (accountIds.length > 0 || caller.accountIds === null) return;
  throw new ServiceError('account_mismatch', {
    detail:
      'The API key is limited to some accounts: name the ones to listen on in account_ids (accountIds in GraphQL).',
  });
}

/** `manage` includes an object's secrets; `see` is for objects that concern an account of the key. */
export type Access = 'manage' | 'see' | 'none';

/**
 * A limited key manages only what belongs to no other account: changes of a shared object decide for the others too.
 * @param accountIds of the object; empty for every account of the workspace, future ones included
 */
export function accessTo(caller: Caller, accountIds: readonly string[]): Access {
  if (caller.accountIds === null) return 'manage';
  if (accountIds.length === 0) return 'see';
  const own = accountIds.filter((id) => mayActFor(caller, id)).length;
  if (own === accountIds.length) return 'manage';
  return own > 0 ? 'see' : 'none';
}

/** The error names no account: the key may not know it. @throws ServiceError `account_mismatch` */
export function requireManaging(caller: Caller, accountIds: readonly string[]): void {
  if (accessTo(caller, accountIds) === 'manage') return;
  throw new ServiceError('account_mismatch', {
    detail: 'The request also concerns accounts that the API key is not limited to.',
  });
}
