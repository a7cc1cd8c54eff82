/** A gateway in embedded mode, with a furnished workspace, for the suites of auth. */
import { afterAll, beforeAll, expect } from 'vitest';
import { type ErrorName, errorTable } from '../../src/kernel/errors.ts';
import { type Backend, backends, type SeededWorkspace, type Served } from '../support/backends.ts';
import { furnish, type Named } from '../support/operations.ts';

/** The one backend that keeps keys and accounts, on the first database. */
export const embedded = backends.find(({ serves }) => serves.accounts) as Backend;

interface ServedAuth {
  readonly served: Served;
  readonly workspace: SeededWorkspace;
  /** What the workspace is furnished with. */
  readonly named: Named;
}

/** Serves one furnished workspace for the suite that calls it; `auth()` is ready in its tests. */
export function serveAuth(): () => ServedAuth {
  let auth: ServedAuth;
  beforeAll(async () => {
    const served = await embedded.start();
    const workspace = await served.workspace();
    auth = { served, workspace, named: await furnish(workspace) };
  });
  afterAll(() => auth.served.close());
  return () => auth;
}

/** The error with this name, as it is reported. */
export const envelope = (name: ErrorName) => {
  const { status } = errorTable[name];
  return { code: name.toUpperCase(), status, requestId: expect.any(String) };
};
