/** Automatic persisted queries, by GET and POST. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPersistedQueries, requireHash } from '../../src/graphql/documents/persisted-queries.ts';
import { type Gateway, startGateway, type TestWorkspace } from '../support/gateway.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const persisted = (text: string) => ({ persistedQuery: { version: 1, sha256Hash: sha256(text) } });

/** Sends a body of JSON. */
async function post(address: string, key: string, body: object) {
  const headers = { 'content-type': 'application/json', 'x-api-key': key };
  const response = await fetch(`${address}/graphql`, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: response.status, ...((await response.json()) as object) };
}

const notFound = { message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } };

test('the store keeps the most recently used documents, within its bound', () => {
  const store = createPersistedQueries({ limit: 10 });
  const [a, b, c] = ['aaaa', 'bbbb', 'cccc'] as const;
  for (const text of [a, b]) store.add(sha256(text), text);
  expect(store.find(sha256(a))).toBe(a);
  store.add(sha256(c), c);
  expect([a, b, c].map((text) => store.find(sha256(text)))).toEqual([a, undefined, c]);
  const large = 'x'.repeat(11);
  store.add(sha256(large), large);
  expect(store.find(sha256(large))).toBeUndefined();
  expect(() => requireHash(sha256(a), b)).toThrow('not the SHA-256');
  // Both have the same bytes in UTF-8, and so the same hash.
  expect(() => requireHash(sha256('\ufffd'), '\ud800')).toThrow('not the SHA-256');
  expect(() => requireHash(sha256(a), a)).not.toThrow();
});

describe('of a gateway', () => {
  let gateway: Gateway;
  let workspace: TestWorkspace;
  beforeAll(async () => {
    gateway = await startGateway();
    workspace = await gateway.workspace();
  });
  afterAll(() => gateway.close());

  const postHere = (body: object, key = workspace.key) => post(gateway.address, key, body);

  test('a client sends a document once, and then only its hash', async () => {
    const query = '{ viewer { workspaceName: __typename } }';
    const extensions = persisted(query);
    expect(await postHere({ extensions })).toMatchObject({ status: 200, errors: [notFound] });
    expect(await postHere({ query, extensions })).toMatchObject({ data: { viewer: {} } });
    expect(await postHere({ extensions })).toMatchObject({ data: { viewer: {} } });
    const search = new URLSearchParams({ extensions: JSON.stringify(extensions) });
    const got = await fetch(`${gateway.address}/graphql?${search}`, { headers: { 'x-api-key': workspace.key } });
    expect(await got.json()).toMatchObject({ data: { viewer: {} } });
  });

  test('a hash gives no access: keys are checked, and a wrong hash is refused', async () => {
    const query = '{ viewer { __typename } }';
    await postHere({ query, extensions: persisted(query) });
    expect(await postHere({ extensions: persisted(query) }, 'wrong')).toMatchObject({ status: 401 });
    expect(await postHere({ extensions: persisted('{ unknown }') }, 'wrong')).toMatchObject({ status: 401 });
    for (const extensions of [
      persisted('another'),
      { persistedQuery: { version: 2, sha256Hash: sha256(query) } },
      { persistedQuery: { version: 1, sha256Hash: 'short' } },
      { persistedQuery: 'x' },
    ]) {
      const refused = { status: 400, errors: [{ extensions: { code: 'MALFORMED_REQUEST' } }] };
      expect(await postHere({ query, extensions })).toMatchObject(refused);
    }
    expect(await postHere({ query: 1, extensions: persisted(query) })).toMatchObject({ status: 400 });
    expect(await postHere({ extensions: persisted('another') })).toMatchObject({ errors: [notFound] });
  });
});
