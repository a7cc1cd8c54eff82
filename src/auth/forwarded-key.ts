/**
 * Callers of a gateway that has no API keys of its own: the upstream checks their keys, which go with each call. A key
 * is kept beside the Caller and not in it, so that nothing that prints or logs a Caller can show it.
 */
import { hash } from 'node:crypto';
import { type Authenticate, type Caller, missingKey, type Scope, scopeNames } from '../kernel/caller.ts';

const everyScope: ReadonlySet<Scope> = new Set(scopeNames);

const forwardedKeys = new WeakMap<Caller, string>();

/**
 * Accepts every key. What the key may do is for the upstream to decide: the gateway permits every scope and every account.
 * @throws ServiceError `missing_credentials` without a key
 */
export const acceptForwardedKey: Authenticate = async (apiKey) => {
  if (apiKey === undefined || apiKey === '') throw missingKey();
  // Cursors are bound to this id: it is the same for a key in every replica, and cannot be used as a key.
  const id = hash('sha256', `postern forwarded key\0${apiKey}`, 'buffer').toString('base64url', 0, 16);
  const caller: Caller = {
    keyId: id,
    keyName: null,
    workspaceId: id,
    workspaceName: null,
    scopes: everyScope,
    accountIds: null,
    expiresAt: null,
  };
  forwardedKeys.set(caller, apiKey);
  return caller;
};

/**
 * Whether the upstream checks the key of a caller. Then its workspace, scopes, accounts and expiry are what the gateway
 * works with, and none of them is true of the key.
 */
export const isForwarded = (caller: Caller): boolean => forwardedKeys.has(caller);

/**
 * The API key that a caller brought, to be sent to the upstream.
 * @throws Error for a caller that {@link acceptForwardedKey} did not return: a fault of ours
 */
export function apiKeyToForward(caller: Caller): string {
  const key = forwardedKeys.get(caller);
  if (key === undefined) throw new Error('A caller without a forwarded key reached the upstream client');
  return key;
}
