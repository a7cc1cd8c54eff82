/** Keys, limits and the log, where the compiled way has them in a place of its own. What comes before is the same for all executors. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../support/process.ts';
import { json, pnetPost, postList } from '../support/stub.ts';
import { type BothWays, type GraphQLRequest, pages, type Served, seen, startBothWays } from './both-ways.ts';

const posts = (args = '') =>
  `posts(accountId: "a1", identifier: "ACo1"${args}) { nodes { ... on PnetPost { id text } } pageInfo { endCursor } }`;
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
  /** What the first gateway has stored, the other has too. */
  const share = async () => {
    for (const table of ['workspaces', 'api_keys'] as const) {
      const rows = await both.on.app.database.selectFrom(table).selectAll().execute();
      const copy = both.off.app.database.insertInto(table).values(rows);
      await copy.onConflict((conflict) => conflict.doNothing()).execute();
    }
  };
  return { both, share, workspace: await both.on.workspace() };
}

test('what a key may not read is refused before the service is asked', async () => {
  const { both, share, workspace } = await withOwnKeys();
  const other = (await both.on.workspace()).key;
  for (const [compiled, status, options] of [
    ['yes', 200, { scopes: ['posts:read'], accountIds: ['a1'] }],
    ['errors/insufficient_privileges', 401, { scopes: ['webhooks:read'] }],
    ['errors/account_mismatch', 200, { accountIds: ['a2'] }],
  ] as const) {
    const headers = { 'x-api-key': await workspace.newKey(options) };
    await share();
    const served = await expectAlike(both, compiled, { headers, body: { query } });
    expect([served.status, served.calls.length]).toEqual([status, compiled === 'yes' ? 1 : 0]);
  }
  const ask = (compiled: string, args: string, key = workspace.key) =>
    expectAlike(both, compiled, { headers: { 'x-api-key': key }, body: { query: `{ ${posts(args)} }` } });
  const after = JSON.parse((await ask('yes', ', first: 1')).body).data.posts.pageInfo.endCursor;
  expect((await ask('yes', `, after: "${after}"`)).body).toContain('Text p1');
  for (const [args, key] of [
    [`, isCompany: true, after: "${after}"`],
    [`, after: "${after}"`, other],
    [`, after: "${after.slice(0, -1)}"`],
  ] as const) {
    expect((await ask('errors/unprocessable_entity', args, key)).calls).toEqual([]);
  }
});

test('requests that are left to resolvers are counted once', async () => {
  const { both, share, workspace } = await withOwnKeys({ REQUESTS_PER_MINUTE: '3' });
  await share();
  const headers = { 'x-api-key': workspace.key };
  for (const left of [posts(', first: -1'), posts(', first: 40').replace('ACo1', 'ACoLong'), posts(), posts()]) {
    const { on, off } = await both.ask({ headers, body: { query: `{ ${left} }` } });
    expect(seen(on)).toEqual(seen(off));
  }
});

test.each([1, 200, 300, 2_400, 10_000])('a response of at most %i bytes', async (limit) => {
  const both = await startBothWays(pages, {}, { maxResponseBytes: limit });
  const { on, off } = await both.ask({ body: { query } });
  expect(seen(on)).toEqual(seen(off));
  expect(on.calls).toHaveLength(1);
});

test('a request has one log line, with its own id', async () => {
  const both = await startBothWays();
  const headers = { 'x-request-id': 'id-of-the-client' };
  for (const args of ['', ', first: -1']) await both.ask({ headers, body: { query: `{ ${posts(args)} }` } });
  const lines = both.on.log.filter(({ reqId }) => reqId === 'id-of-the-client');
  const line = { method: 'POST', path: '/graphql', status: 200, msg: 'request' };
  expect(lines).toMatchObject([
    { ...line, compiled: 'yes' },
    { ...line, compiled: 'errors/unprocessable_entity' },
  ]);
});

test('a service with terms of its own is not read as bytes', async () => {
  const directory = await temporaryDirectory();
  onTestFinished(() => directory[Symbol.asyncDispose]());
  const file = join(directory.path, 'names.json');
  await writeFile(file, JSON.stringify({ providers: { PNET: 'ACME' } }));
  const own = postList([pnetPost('1', { provider: 'ACME' }), pnetPost('2')]);
  const named = await startBothWays((_, response) => json(response, 200, own), { UPSTREAM_NAMES: file });
  const { body } = await expectAlike(named, 'more than can be read as JSON', { body: { query } });
  expect(body).toContain('Text 1');
});
