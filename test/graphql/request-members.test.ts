/** The members of a request, by every door: which ones there may be, and which values stand for none. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { doors } from '../support/doors.ts';
import { type Gateway, startGateway, type TestWorkspace } from '../support/gateway.ts';

let gateway: Gateway;
let workspace: TestWorkspace;
beforeAll(async () => {
  gateway = await startGateway();
  workspace = await gateway.workspace();
});
afterAll(() => gateway.close());

const query = 'query Named { viewer { __typename } }';
const sha256Hash = createHash('sha256').update(query).digest('hex');
const hashed = (hash: string) => ({ extensions: { persistedQuery: { version: 1, sha256Hash: hash } } });

const answered: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'an empty operationName': { query, operationName: '' },
  'empty variables': { query, variables: '' },
  'empty extensions': { query, extensions: '' },
  'an empty documentId': { query, documentId: '' },
  'an empty doc_id': { query, doc_id: '' },
  'all of them empty': { query, operationName: '', variables: '', extensions: '', documentId: '', doc_id: '' },
  'all of them null': { query, operationName: null, variables: null, extensions: null, documentId: null, doc_id: null },
  'members that the specification does not have': { query, id: 'Named', onError: 'NULL', more: { of: ['them'] } },
  'unknown extensions': { query, extensions: { clientLibrary: { name: 'x' } } },
  'a hash': { query, ...hashed(sha256Hash) },
  'a hash in capitals': { query, ...hashed(sha256Hash.toUpperCase()) },
  'a hash in capitals alone': hashed(sha256Hash.toUpperCase()),
  'an id in capitals': { documentId: `sha256:${sha256Hash.toUpperCase()}` },
};

const refused: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'no query': {},
  'a misspelt query': { qeury: query },
  'an empty query': { query: '' },
  'null for a query': { query: null },
};

describe.each(Object.entries(doors))('%s', (name, door) => {
  const ask = async (parameters: Readonly<Record<string, unknown>>) => {
    // A URL has no null.
    const sent = Object.entries(parameters).filter(([, value]) => name !== 'GET' || value !== null);
    const asked = { address: gateway.address, requestId: 'request-of-the-test', key: workspace.key };
    return JSON.parse(await door.ask({ ...asked, parameters: Object.fromEntries(sent) }));
  };

  test.each(Object.entries(answered))('%s', async (_name, parameters) => {
    expect(await ask(parameters)).toMatchObject({ data: { viewer: { __typename: 'Viewer' } } });
  });

  test.each(Object.entries(refused))('%s', async (_name, parameters) => {
    const { errors } = await ask(parameters);
    expect(errors).toMatchObject([{ message: 'Must provide query string.' }]);
  });
});

const accepted = ['application/json', 'application/graphql-response+json', '*/*', 'text/event-stream', ''];

test.each(accepted)('a request without a query is 400 for a client that accepts %j', async (accept) => {
  for (const body of Object.values(refused)) {
    const headers = { 'content-type': 'application/json', 'x-api-key': workspace.key, accept };
    const response = await fetch(`${gateway.address}/graphql`, { method: 'POST', headers, body: JSON.stringify(body) });
    await response.text();
    // A client of events reads none of another status.
    expect(response.status).toBe(accept === 'text/event-stream' ? 200 : 400);
  }
});
