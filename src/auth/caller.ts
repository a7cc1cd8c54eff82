/** Who makes a request, and what the API key lets them do. */
import { ServiceError } from '../errors.ts';

/** What an API key may do. A request outside its scopes is `errors/insufficient_privileges`. */
export const scopes = {
  'accounts:read': 'List the connected accounts.',
  'jobs:write': 'Edit and publish job postings, and read them back.',
  'posts:read': 'List posts.',
  'webhooks:read': 'List webhooks.',
  'webhooks:write': 'Create and delete webhooks, and read their secret parts.',
  'events:write': 'Emit account events.',
} as const;
export type Scope = keyof typeof scopes;
export const scopeNames = Object.keys(scopes) as Scope[];

/** Who makes a request: the API key, the workspace it belongs to and what it may do there. */
export interface Caller {
  readonly keyId: string;
  readonly keyName: string;
  readonly workspaceId: string;
  readonly workspaceName: string;
  readonly scopes: ReadonlySet<Scope>;
  /** The accounts that the key is limited to; null where it may use every account of the workspace. */
  readonly accountIds: ReadonlySet<string> | null;
  readonly expiresAt: Date | null;
}

/** @throws ServiceError `insufficient_privileges` if the caller's key lacks the scope */
export function requireScope(caller: Caller, scope: Scope): void {
  if (caller.scopes.has(scope)) return;
  throw new ServiceError('insufficient_privileges', { detail: `The API key lacks the scope ${scope}.` });
}
