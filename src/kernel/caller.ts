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

export interface CallerToken {
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
  /** Of a key that only the service can check: then nothing else here is true of it. */
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

/** Rejects with ServiceError `missing_credentials` without a key, else `invalid_credentials` or `expired_credentials` */
export type Authenticate = (apiKey: string | undefined) => Caller | Promise<Caller>;

export const missingKey = (): ServiceError =>
  new ServiceError('missing_credentials', {
    detail: 'Send an API key as X-API-KEY. GraphQL takes Authorization: Bearer as well.',
  });

export const expiredKey = (): ServiceError =>
  new ServiceError('expired_credentials', { detail: 'The API key has expired: rotate it.', family: 'key' });

export const expiredToken = (): ServiceError =>
  new ServiceError('expired_credentials', { detail: 'The access token has expired: get another.', family: 'key' });

export const expiryOf = ({ token }: Caller): ServiceError => (token === undefined ? expiredKey() : expiredToken());

/** Older keys were made before reading jobs had a scope of its own: writing includes reading. */
const included: Readonly<Partial<Record<Scope, Scope>>> = { 'jobs:write': 'jobs:read' };

export const permits = (granted: ReadonlySet<Scope>, scope: Scope): boolean =>
  granted.has(scope) || [...granted].some((each) => included[each] === scope);

/** @throws ServiceError `insufficient_privileges` when the caller's key lacks the scope */
export function requireScope(caller: Caller, scope: Scope): void {
  if (permits(caller.scopes, scope)) return;
  throw new ServiceError('insufficient_privileges', {
    detail: `The API key or access token lacks the scope ${scope}.`,
  });
}
