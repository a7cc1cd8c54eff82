/**
 * Callers of a gateway that knows no keys of its own: their key is the upstream's to judge, and goes with each call. It
 * is kept beside the Caller and not in it, so that nothing that prints or logs a Caller can show it.
 */
import { createHash } from 'node:crypto';
import { ServiceError } from '../errors.ts';
import type { Authenticate } from '../http/server.ts';
import { type Caller, scopeNames } from './caller.ts';

const forwarded = new WeakMap<Caller, string>();

/** Takes every key that is there. What it may do the upstream says: here it has every scope and every account. */
export const forwardKey: Authenticate = async (apiKey) => {
  if (apiKey === undefined || apiKey === '') {
    throw new ServiceError('missing_credentials', { detail: 'Send an API key in the X-API-KEY header.' });
  }
  // Cursors are bound to it: the same for the same key in every replica, and of no use as a key.
  const id = createHash('sha256')
    .update('postern forwarded key\0')
    .update(apiKey)
    .digest()
    .toString('base64url', 0, 16);
  const caller: Caller = {
    keyId: id,
    keyName: 'forwarded key',
    workspaceId: id,
    workspaceName: 'upstream',
    scopes: new Set(scopeNames),
    accountIds: null,
    expiresAt: null,
  };
  forwarded.set(caller, apiKey);
  return caller;
};

/** The key that the caller brought, to be sent on. */
export function forwardedKey(caller: Caller): string {
  const key = forwarded.get(caller);
  if (key === undefined) throw new Error('A caller without a forwarded key reached the upstream client');
  return key;
}
