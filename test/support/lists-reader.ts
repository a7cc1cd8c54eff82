import type { Caller } from '../../src/kernel/caller.ts';
import { cursorCodec } from '../../src/kernel/paging.ts';

/** A caller who gets all that a service sends. */
export const listsReader: Caller = {
  keyId: 'key',
  keyName: 'key',
  workspaceId: 'workspace',
  workspaceName: 'workspace',
  scopes: new Set(['posts:read', 'webhooks:read', 'webhooks:write']),
  accountIds: null,
  expiresAt: null,
};

export const testCursors = cursorCodec(Buffer.alloc(32, 7), 'base64url');
