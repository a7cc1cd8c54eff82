/** Keys, accounts, limits and the log: what a request passes before its operation is executed, compiled or not. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { json, pnetPost, postList, type Respond } from '../support/stub.ts';
import { type BothWays, type GraphQLRequest, pages, type Served, seen, startBothWays } from './both-ways.ts';

const posts = (args = '', account = 'a1') =>
  `posts(accountId: "${account}", identifier: "ACo1"${args}) { nodes { ... on PnetPost { id text } } pageInfo { endCursor } }`;
const query = `{ ${posts()} }`;

/** A request is served alike, and by the compiled way as the log line says. */
async function expectAlike(both: BothWays, compiled: string | undefined, request: GraphQLRequest): Promise<Served> {
  const { on, off } = await both.ask(request);
  expect(seen(on)).toEqual(seen(off));
  expect(on.compiled).toBe(compiled);
  return on;
}

/** Gateways with API keys of their own, which are the same. */
async function withOwnKeys(environment: Readonly<Record<string, string>> = {}) {
  const both = await startBothWays(pages, { UPSTREAM_API_KEY: 'our-key', ...environment });
  const workspace = await both.on.workspace();
  /** What the first gateway has stored, the other has too. */
  const share = async () => {
    for (const table of ['workspaces', 'api_keys'] as const) {
      const rows = await both.on.app.database.selectFrom(table).selectAll().execute();
      const copy = both.off.app.database.insertInto(table).values(rows);
      await copy.onConflict((conflict) => conflict.doNothing()).execute();
    }
  };
  return {
    ...both,
    workspace,
    async ask(request: GraphQLRequest) {
      await share();
      return both.ask(request);
    },
  };
}

test.each<[what: string, compiled: string | undefined, status: number, key: Parameters<NewKey>[0] | string]>([
  ['every scope', 'yes', 200, {}],
  ['the scope', 'yes', 200, { scopes: ['posts:read'] }],
  ['another scope', 'errors/insufficient_privileges', 401, { scopes: ['webhooks:read'] }],
  ['the account', 'yes', 200, { accountIds: ['a1'] }],
  ['another account', 'errors/account_mismatch', 200, { accountIds: ['a2'] }],
  ['a key that has expired', undefined, 401, { expiresAt: new Date('2026-11-20T11:59:59Z') }],
  ['a key that expires later', 'yes', 200, { expiresAt: new Date('2026-11-20T12:00:01Z') }],
  ['a wrong key', undefined, 401, 'pst_wrong'],
  ['no key', undefined, 401, ''],
])('a key with %s', async (_what, compiled, status, options) => {
  const both = await withOwnKeys();
  const key = typeof options === 'string' ? options : await both.workspace.newKey(options);
  const served = await expectAlike(both, compiled, { headers: { 'x-api-key': key }, body: { query } });
  expect(served.status).toBe(status);
  if (compiled !== 'yes') expect(served.calls).toEqual([]);
});

type NewKey = Awaited<ReturnType<typeof withOwnKeys>>['workspace']['newKey'];

test('a cursor is invalid for another list and for another workspace', async () => {
  const both = await withOwnKeys();
  const headers = { 'x-api-key': both.workspace.key };
  const first = await expectAlike(both, 'yes', { headers, body: { query: `{ ${posts(', first: 1')} }` } });
  const after = JSON.parse(first.body).data.posts.pageInfo.endCursor;
  const ask = (compiled: string, args: string, key = both.workspace.key) =>
    expectAlike(both, compiled, { headers: { 'x-api-key': key }, body: { query: `{ ${posts(args)} }` } });
  expect((await ask('yes', `, after: "${after}"`)).body).toContain('Text p1');
  const other = (await both.on.workspace()).key;
  for (const [args, key] of [
    [`, isCompany: true, after: "${after}"`],
    [`, after: "${after}"`, other],
    [`, after: "${after.slice(0, -1)}"`],
  ] as const) {
    expect((await ask('errors/unprocessable_entity', args, key)).calls).toEqual([]);
  }
});

test.each([
  ['requests', { REQUESTS_PER_MINUTE: '3' }, { body: { query } }],
  ['requests that are left', { REQUESTS_PER_MINUTE: '3' }, { body: { query: `{ ${posts(', first: -1')} }` } }],
  [
    'requests with a page that is left',
    { REQUESTS_PER_MINUTE: '3' },
    { body: { query: `{ ${posts(', first: 40').replace('ACo1', 'ACoLong')} }` } },
  ],
  ['wrong keys', { KEYLESS_PER_MINUTE: '3' }, { headers: { 'x-api-key': 'wrong' }, body: { query } }],
  [
    'requests for a type name',
    { KEYLESS_PER_MINUTE: '3' },
    { headers: { 'x-api-key': '' }, body: { query: '{ a: __typename }' } },
  ],
  ['requests for a type name with a key', { REQUESTS_PER_MINUTE: '3' }, { body: { query: '{ a: __typename }' } }],
  ['requests that are invalid', { REQUESTS_PER_MINUTE: '3' }, { body: { query: '{ posts { nodes } }' } }],
] as const)('%s are counted once, and refused beyond the limit', async (_what, limits, request) => {
  const both = await withOwnKeys(limits);
  for (let count = 0; count < 5; count += 1) {
    const { on, off } = await both.ask({
      ...request,
      headers: { 'x-api-key': both.workspace.key, ...('headers' in request ? request.headers : {}) },
    });
    expect(seen(on)).toEqual(seen(off));
  }
});

test.each([
  ['beyond the limit', 400, undefined, 100],
  ['within the limit', 5_000, 'yes', 100],
  ['of the page that is asked for', 400, 'yes', 1],
])('a cost %s', async (_what, limit, compiled, first) => {
  const both = await startBothWays(pages, { GRAPHQL_MAX_COST: String(limit) });
  const body = { query: `query ($n: Int) { ${posts(', first: $n')} }`, variables: { n: first } };
  await expectAlike(both, compiled, { body });
});

test('a remembered cost applies to its variables only', async () => {
  // The default of both is a full page.
  const sized = `query ($few: Int, $many: Int) {
    few: ${posts(', first: $few')}
    many: posts(accountId: "a1", identifier: "ACo1", first: $many) { nodes { ... on PnetPost { id a: id b: id c: id } } }
  }`;
  const cheap = { query: sized, variables: { many: 1 } };
  const expensive = { query: sized, variables: { few: 1 } };
  const unlimited = await startBothWays();
  const report = { headers: { 'graphql-cost': 'report' }, body: expensive };
  const { requestedCost } = JSON.parse((await unlimited.ask(report)).on.body).extensions.cost;
  const both = await startBothWays(pages, { GRAPHQL_MAX_COST: String(requestedCost - 1) });
  await expectAlike(both, 'yes', { body: cheap });
  await expectAlike(both, undefined, { body: expensive });
  await expectAlike(both, 'yes', { body: cheap });
});

test.each([1, 100, 200, 250, 300, 800, 1_600, 2_400, 10_000])('a response of at most %i bytes', async (limit) => {
  const both = await startBothWays(pages, {}, { maxResponseBytes: limit });
  const { on, off } = await both.ask({ body: { query } });
  expect(seen(on)).toEqual(seen(off));
  expect(on.calls).toHaveLength(1);
});

test('without introspection a document that selects the schema anywhere is refused', async () => {
  const both = await startBothWays(pages, { INTROSPECTION: 'off' });
  const asks = `query Posts ${query} query Schema { __schema { queryType { name } } }`;
  await expectAlike(both, undefined, { body: { query: asks, operationName: 'Posts' } });
  await expectAlike(both, 'yes', { body: { query: `query Posts { __typename ${posts()} }` } });
  await expectAlike(both, undefined, { body: { query: '{ posts { nodez } }' } });
});

test('with terms of its own, the service is not read as bytes', async () => {
  const respond: Respond = (_request, response) =>
    json(response, 200, postList([pnetPost('1', { provider: 'ACME' }), pnetPost('2')]));
  const { on } = await startBothWays();
  const file = join(on.directory, 'names.json');
  await writeFile(file, JSON.stringify({ providers: { PNET: 'ACME' } }));
  const both = await startBothWays(respond, { UPSTREAM_NAMES: file });
  const { body } = await expectAlike(both, 'more than can be read as JSON', { body: { query } });
  expect(body).toContain('Text 1');
});

test('a request has one log line, with its own id', async () => {
  const both = await startBothWays();
  await both.ask({ headers: { 'x-request-id': 'id-of-the-client' }, body: { query } });
  await both.ask({ headers: { 'x-request-id': 'id-of-the-client' }, body: { query: `{ ${posts(', first: -1')} }` } });
  const lines = both.on.log.filter(({ reqId }) => reqId === 'id-of-the-client');
  const line = { method: 'POST', path: '/graphql', status: 200, msg: 'request' };
  expect(lines).toMatchObject([
    { ...line, compiled: 'yes' },
    { ...line, compiled: 'errors/unprocessable_entity' },
  ]);
});

test('a stopping gateway finishes the response in progress', async () => {
  let answer = () => {};
  const both = await startBothWays((_request, response) => {
    answer = () => json(response, 200, postList([pnetPost('1')]));
  });
  const asked = fetch(`${both.on.address}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'k' },
    body: JSON.stringify({ query }),
  });
  await expect.poll(() => both.stub.received.length).toBe(1);
  const closed = both.on.app.close();
  answer();
  const response = await asked;
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ data: { posts: { nodes: [{ text: 'Text 1' }] } } });
  await closed;
});
