/** The REST face over a backend, for the tests of the contract. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import type { EndpointName } from '../../src/kernel/endpoint.ts';
import { type Facts, statedFacts } from '../contract/stated.ts';
import type { Backend, SeededWorkspace, Served } from './backends.ts';
import type { Face } from './faces.ts';
import { type FlatRequest, type RestOptions, type RestResponse, rest } from './rest.ts';

const stated: Facts = statedFacts(readFileSync(join(import.meta.dirname, '../contract/spec.md'), 'utf8'));

/** The names of the fields of a table of the contract. */
export const fieldsOf = (subject: string) => (stated[subject] ?? []).map((row) => row.split(' ')[0] as string).sort();

/** The names of the required fields of a table of the contract. */
export const requiredOf = (subject: string) =>
  (stated[subject] ?? []).flatMap((row) => (row.endsWith(' R') ? [row.split(' ')[0] as string] : [])).sort();

/** Serves a backend while the tests of the enclosing `describe` run, with a workspace and an account in it. */
export function serveRest(backend: Backend) {
  let served: Served | undefined;
  let workspace: SeededWorkspace | undefined;
  let account = '';

  beforeAll(async () => {
    served = await backend.start({ environment: { LOG_LEVEL: 'silent' } });
    workspace = await served.workspace();
    account = await workspace.account();
  });
  afterAll(() => served?.close());

  const running = <T>(part: T | undefined): T => {
    if (part === undefined) throw new Error('The backend is not running yet');
    return part;
  };
  const send = (method: string, path: string, options: RestOptions = {}) =>
    rest(running(served).address, running(workspace).key, method, path, options);
  return {
    get served() {
      return running(served);
    },
    get workspace() {
      return running(workspace);
    },
    /** A pnet account of the workspace. */
    get account() {
      return account;
    },
    send,
    /** Asks a face in the contract's terms. */
    ask: (face: Face, endpoint: EndpointName, request: FlatRequest) =>
      face.ask(running(served).address, running(workspace).key, endpoint, request),
    post: (path: string, body: object) => send('POST', path, { body: { account_id: account, ...body } }),
    /** Edits a job posting. */
    patch: (jobId: string, body: object) =>
      send('PATCH', `/v1/pnet/jobs/${jobId}`, { body: { account_id: account, ...body } }),
    draft: (options: object = {}) => running(workspace).draft({ accountId: account, ...options }),
  };
}

/** Expects an error of that status and type. */
export function expectError(
  { status, body, text }: RestResponse,
  expected: number,
  type: string,
  detail?: RegExp,
): void {
  expect([status, body.type, body.status], text).toEqual([expected, `errors/${type}`, expected]);
  if (detail !== undefined) expect(body.detail).toMatch(detail);
}
