/** The caller of a request, and what the API key permits. */
import { ServiceError } from './errors.ts';
import { keysOf } from './lib/keys-of.ts';

/** The permissions of an API key. A request outside its scopes fails with `errors/insufficient_privileges`. */
export const scopes = {
  'accounts:read': 'List the connected accounts.',
  'jobs:read': 'Read job postings.',
  'jobs:write': 'Create, edit, publish and read job postings.',
  'posts:read': 'List posts.',
  'webhooks:read': 'List webhooks.',
  'webhooks:write': 'Create, update and delete webhooks, and read their secrets and header values.',
  'events:write': 'Emit account events.',
} as const;
export type Scope = keyof typeof scopes;
export const scopeNames = keysOf(scopes);

/** The caller of a request: the API key, its workspace and its permissions there. */
export interface Caller {
  readonly keyId: string;
  /** Null where only the service behind the gateway knows the key; see {@link isForwarded}. */
  readonly keyName: string | null;
  readonly workspaceId: string;
  /** Null as `keyName` is. */
  readonly workspaceName: string | null;
  readonly scopes: ReadonlySet<Scope>;
  /** The accounts that the key is limited to; null if it may use every account of the workspace. */
  readonly accountIds: ReadonlySet<string> | null;
  /** Null if the key does not expire. */
  readonly expiresAt: Date | null;
}

/**
 * Identifies the caller by the API key of a request.
 * @throws ServiceError `missing_credentials` without a key, `invalid_credentials` or `expired_credentials` for one that
 *   cannot be used
 */
export type Authenticate = (apiKey: string | undefined) => Promise<Caller>;

export const missingKey = (): ServiceError =>
  new ServiceError('missing_credentials', {
    detail: 'Send an API key as X-API-KEY. GraphQL takes Authorization: Bearer as well.',
  });

export const expiredKey = (): ServiceError =>
  new ServiceError('expired_credentials', { detail: 'The API key has expired: rotate it.', family: 'key' });

/** Keys were made before reading jobs had a scope of its own, so who may write them may read them. */
const included: Readonly<Partial<Record<Scope, Scope>>> = { 'jobs:write': 'jobs:read' };

/** Whether one of the scopes of a key is the scope that is asked for, or includes it. */
export const permits = (granted: ReadonlySet<Scope>, scope: Scope): boolean =>
  granted.has(scope) || [...granted].some((each) => included[each] === scope);

/** @throws ServiceError `insufficient_privileges` when the caller's key lacks the scope */
export function requireScope(caller: Caller, scope: Scope): void {
  if (permits(caller.scopes, scope)) return;
  throw new ServiceError('insufficient_privileges', { detail: `The API key lacks the scope ${scope}.` });
}
