/** `examples/bff-hono`: a BFF that passes operations and streams through, as each visitor may. */
import { createClient } from 'graphql-sse';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { fileOf, runExample, type Server, serveExample } from './example.ts';
import { type Postern, startPostern } from './postern.ts';
import { type Visitor, visitorAt } from './visitor.ts';

const pnet = 'pnet-----------------A';
const photonet = 'photonet-------------A';

let postern: Postern;
let server: Server;
let grace: Visitor;
beforeAll(async () => {
  postern = await startPostern();
  const environment = { POSTERN_URL: postern.address, POSTERN_KEY: postern.key, VISITOR_TOKEN: 'of-grace' };
  expect(await runExample('bff-hono', 'typecheck', environment)).toBe('');
  server = await serveExample('bff-hono', 'start', environment);
  grace = visitorAt(`${server.address}/graphql`, 'of-grace');
});
afterAll(async () => {
  await server?.stop();
  await postern?.close();
});

test('passes pages of a list', async () => {
  const query = `query ($after: String) {
    posts(accountId: "${pnet}", identifier: "ADoSandbox25", first: 20, after: $after) { nodes { __typename } pageInfo { endCursor hasNextPage } }
  }`;
  const { posts } = (await grace.ask(query)).data;
  expect(posts.nodes).toHaveLength(20);
  const { data } = await grace.ask(query, { after: posts.pageInfo.endCursor });
  expect(data.posts).toMatchObject({ nodes: { length: 5 }, pageInfo: { hasNextPage: false } });
});

test('passes a mutation, whichever its result', async () => {
  const publish = (draftId: string) =>
    grace.ask(
      `mutation ($input: PublishJobInput!) { publishJob(input: $input) {
        __typename ... on PnetJobPostingPublished { state } ... on ServiceError { code }
      } }`,
      { input: { accountId: pnet, jobId: draftId, mode: 'FREE' } },
    );
  expect((await publish('1001')).data.publishJob).toEqual({
    __typename: 'PnetJobPostingPublished',
    state: 'ACTIVE',
  });
  expect((await publish('1017')).data.publishJob).toEqual({
    __typename: 'RequestError',
    code: 'INSUFFICIENT_JOB_SLOT',
  });
});

test('passes errors with their codes', async () => {
  expect(
    await grace.ask(`{ posts(accountId: "${pnet}", identifier: "ACoSandboxNetworkDown") { nodes { __typename } } }`),
  ).toMatchObject({ errors: [{ path: ['posts'], extensions: { code: 'NETWORK_DOWN' } }] });
  expect(await grace.ask('{ nothing }')).toMatchObject({
    errors: [{ extensions: { code: 'INVALID_PARAMETERS' } }],
  });
});

test.each([null, 'of-nobody'])('a visitor with the token %j gets nothing', async (token) => {
  const stranger = visitorAt(`${server.address}/graphql`, token);
  expect(await stranger.ask('{ __typename }')).toMatchObject({
    status: 401,
    data: null,
    errors: [{ extensions: { code: 'UNAUTHENTICATED' } }],
  });
});

test("a visitor can do no more than the visitor's access token allows", async () => {
  const { data } = await grace.ask('{ viewer { tokenId } accounts { nodes { accountId } } }');
  expect(data).toEqual({ viewer: { tokenId: expect.any(String) }, accounts: { nodes: [{ accountId: pnet }] } });
  const others = await grace.ask(
    `{ posts(accountId: "${photonet}", identifier: "sandbox.gallery") { nodes { __typename } } }`,
  );
  expect(others.errors).toMatchObject([{ extensions: { code: expect.any(String) } }]);
  const webhooks = await grace.ask('{ webhooks { totalCount } }');
  expect(webhooks.errors).toMatchObject([{ extensions: { code: 'INSUFFICIENT_PRIVILEGES' } }]);
});

test('passes the headers that are named, and no others', async () => {
  const response = await fetch(`${server.address}/graphql`, {
    method: 'POST',
    headers: { authorization: 'Bearer of-grace', 'content-type': 'application/json', 'x-api-key': 'of-nobody' },
    body: JSON.stringify({ query: '{ viewer { name } }' }),
  });
  expect(response.status).toBe(200);
  expect(response.headers.get('x-request-id')).toMatch(/\S/);
  expect(response.headers.get('ratelimit')).toBeNull();
});

const posting = (jobId: string, name: string) =>
  `subscription ${name} { jobPostingUpdated(jobIds: ["${jobId}"]) { state } }`;
const draft = { data: { jobPostingUpdated: { state: 'DRAFT' } } };

test('a stream is cut off with the gateway, so that the client of the visitor comes back', async () => {
  const connections: boolean[] = [];
  const client = createClient({
    url: `${server.address}/graphql`,
    headers: { authorization: 'Bearer of-grace' },
    retryAttempts: 100,
    retry: () => new Promise((go) => setTimeout(go, 100)),
  });
  const states = client.iterate(
    { query: posting('1002', 'Restarted') },
    { connected: (isReconnected) => void connections.push(isReconnected) },
  );
  expect((await states.next()).value).toMatchObject(draft);
  await postern.restart(500);
  expect((await states.next()).value).toMatchObject(draft);
  expect(connections).toEqual([false, true]);
  await states.return?.();
});

test('the stream of the gateway ends when the visitor goes away', async () => {
  const states = grace.watch(posting('1003', 'Gone'));
  await states.next();
  await states.return();
  await postern.logged(/"operation":"Gone"/);
});

test('while the gateway is down, a request may be sent again', async () => {
  const restarted = postern.restart(1_500);
  await expect
    .poll(() => grace.ask('{ viewer { name } }'), { interval: 50 })
    .toMatchObject({ status: 503, errors: [{ extensions: { code: 'SERVICE_UNAVAILABLE' } }] });
  await restarted;
  expect((await grace.ask('{ viewer { name } }')).status).toBe(200);
});

test('requests of a visitor at once share a token, and one that failed is asked for again', async () => {
  vi.stubEnv('POSTERN_KEY', 'key').stubEnv('VISITOR_TOKEN', 'of-grace');
  const expiresAt = new Date(Date.now() + 900_000).toISOString();
  const answers = [{ errors: [{ message: 'Not now.' }] }, { data: { createAccessToken: { token: 'one', expiresAt } } }];
  let asked = 0;
  vi.stubGlobal('fetch', async () => Response.json(answers[asked++] ?? {}));
  onTestFinished(() => void vi.unstubAllGlobals().unstubAllEnvs());
  const { tokenOf } = await import(fileOf('bff-hono', 'tokens.ts'));
  const visitor = { name: 'Grace', accountIds: [] };
  for (const result of await Promise.allSettled([tokenOf(visitor), tokenOf(visitor)]))
    expect(result).toMatchObject({ status: 'rejected', reason: { message: expect.stringContaining('Not now.') } });
  expect(await Promise.all([tokenOf(visitor), tokenOf(visitor)])).toEqual(['one', 'one']);
  expect(await tokenOf(visitor)).toBe('one');
  expect(asked).toBe(2);
});
