/** Requests to a port, without a face in front of it. */
import { scopeNames } from '../../src/kernel/caller.ts';
import { nothingSpent, type RequestContext } from '../../src/kernel/request-context.ts';

/** A request with a key that has every scope for every account of the workspace. */
export const requestContext = (workspaceId: string, signal = new AbortController().signal): RequestContext => ({
  caller: {
    keyId: 'test-key',
    keyName: 'test',
    workspaceId,
    workspaceName: 'test',
    scopes: new Set(scopeNames),
    accountIds: null,
    expiresAt: null,
  },
  requestId: 'test-request',
  spent: nothingSpent(),
  signal,
});
