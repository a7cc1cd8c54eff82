/** `examples/bff-stitching`: a part of the gateway's graph and a graph of its own, served as one to visitors. */
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
  expect(await runExample('bff-stitching', 'typecheck', environment)).toBe('');
  server = await serveExample('bff-stitching', 'start', environment);
  grace = visitorAt(`${server.address}/graphql`, 'of-grace');
});
afterAll(async () => {
  await server?.stop();
  await postern?.close();
});

test('adds fields to a type, with one request to the gateway for an operation', async () => {
  const { data, errors } = await grace.ask(`query Once {
    accounts(first: 2) { nodes { accountId owner } }
    account(accountId: "${pnet}") { name owner posts(identifier: "ACoSandbox250", first: 2) { nodes { __typename ... on NetworkPost { id } } } }
  }`);
  expect(errors).toEqual([]);
  expect(data).toEqual({
    // The visitor's only one.
    accounts: { nodes: [{ accountId: pnet, owner: 'Grace' }] },
    account: {
      name: 'Demo PNET',
      owner: 'Grace',
      posts: { nodes: Array.from({ length: 2 }, () => ({ __typename: 'PnetPost', id: expect.any(String) })) },
    },
  });
  await postern.logged(/"operation":"Once"/);
  expect(postern.output().match(/"operation":"Once"/g)).toHaveLength(1);
});

test("reads the objects of its own graph that are the gateway's in one request", async () => {
  const { data } = await grace.ask('{ accounts { nodes { id } } }');
  const [{ id }] = data.accounts.nodes;
  for (const text of ['Call back', 'Renew'])
    await grace.ask('mutation ($on: ID!, $text: String!) { addNote(on: $on, text: $text) { text } }', { on: id, text });
  const { data: read, errors } = await grace.ask('query Notes { notes { text account { name owner } } }');
  expect(errors).toEqual([]);
  const account = { name: 'Demo PNET', owner: 'Grace' };
  expect(read.notes).toEqual([
    { text: 'Call back', account },
    { text: 'Renew', account },
  ]);
  await postern.logged(/"operation":"Notes"/);
  expect(postern.output().match(/"operation":"Notes"/g)).toHaveLength(1);
});

test('serves the page after the first', async () => {
  const query = `query ($after: String) { account(accountId: "${pnet}") {
    posts(identifier: "ADoSandbox25", first: 20, after: $after) { nodes { __typename } pageInfo { endCursor hasNextPage } }
  } }`;
  const { posts } = (await grace.ask(query)).data.account;
  expect(posts.nodes).toHaveLength(20);
  const { data } = await grace.ask(query, { after: posts.pageInfo.endCursor });
  expect(data.account.posts).toMatchObject({ nodes: { length: 5 }, pageInfo: { hasNextPage: false } });
});

test('a mutation has the types of its result', async () => {
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

test('an error of a field keeps its code and its path', async () => {
  const { data, errors } = await grace.ask(
    `{ account(accountId: "${pnet}") { name posts(identifier: "ACoSandboxNetworkDown") { nodes { __typename } } } }`,
  );
  expect(data).toEqual({ account: { name: 'Demo PNET', posts: null } });
  expect(errors).toMatchObject([{ path: ['account', 'posts'], extensions: { code: 'NETWORK_DOWN' } }]);
});

test("offers nothing else, and nothing of accounts that are not the visitor's", async () => {
  expect((await grace.ask('{ webhooks { nodes { name } } }')).errors).toMatchObject([
    {
      message: expect.stringContaining('Cannot query field "webhooks"'),
      extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
    },
  ]);
  const { data, errors } = await grace.ask(
    `{ account(accountId: "${photonet}") { posts(identifier: "sandbox.gallery") { nodes { __typename } } } }`,
  );
  expect({ data, errors }).toEqual({ data: { account: null }, errors: [] });
});

test.each([null, 'of-nobody'])('a visitor with the token %j gets nothing', async (token) => {
  const stranger = visitorAt(`${server.address}/graphql`, token);
  expect(await stranger.ask('{ accounts { totalCount } }')).toMatchObject({
    status: 401,
    data: null,
    errors: [{ extensions: { code: 'UNAUTHENTICATED' } }],
  });
  expect((await fetch(`${server.address}/schema.graphql`)).status).toBe(401);
});

test('its schema says what is null with an error only, as that of the gateway does', async () => {
  const headers = { authorization: 'Bearer of-grace' };
  const sdl = await (await fetch(`${server.address}/schema.graphql`, { headers })).text();
  expect(sdl).toMatch(/posts\([^)]*\): PostConnection [^\n]*@semanticNonNull/);
  expect(sdl).toMatch(/owner: String$/m);
  expect(sdl).not.toContain('createWebhook');
});

const posting = (jobId: string, name: string) =>
  `subscription ${name} { jobPostingUpdated(jobIds: ["${jobId}"]) { state account { owner } } }`;
const draft = { data: { jobPostingUpdated: { state: 'DRAFT', account: { owner: 'Grace' } } } };

test('a stream goes on through a restart of the gateway', async () => {
  const states = grace.watch(posting('1002', 'Restarted'));
  expect((await states.next()).value).toMatchObject(draft);
  await postern.restart();
  expect((await states.next()).value).toMatchObject(draft);
  await states.return();
});

test('the stream of the gateway ends when the visitor goes away', async () => {
  const states = grace.watch(posting('1003', 'Gone'));
  await states.next();
  await states.return();
  await postern.logged(/"operation":"Gone"/);
});

test('a stream goes on with a new token when one expires', async () => {
  vi.stubEnv('POSTERN_KEY', 'key').stubEnv('VISITOR_TOKEN', 'of-grace');
  const sent: string[] = [];
  const expired = { data: null, errors: [{ message: 'Expired.', extensions: { code: 'EXPIRED_CREDENTIALS' } }] };
  const results = [{ data: { n: 1 } }, expired, { data: { n: 2 } }];
  vi.stubGlobal('fetch', async (_url: string, { headers, body }: { headers: Record<string, string>; body: string }) => {
    const { query } = JSON.parse(body);
    // Within a minute it is renewed.
    const expiresAt = new Date(Date.now() + 59_000).toISOString();
    if (query.includes('createAccessToken'))
      return Response.json({ data: { createAccessToken: { token: `token ${sent.length}`, expiresAt } } });
    sent.push(headers.authorization ?? '');
    const events = results.splice(0, 2).map((result) => `event: next\ndata: ${JSON.stringify(result)}\n\n`);
    return new Response(`${events.join('')}event: complete\ndata:\n\n`, {
      headers: { 'content-type': 'text/event-stream' },
    });
  });
  onTestFinished(() => void vi.unstubAllGlobals().unstubAllEnvs());
  const { follow } = await import(fileOf('bff-stitching', 'follow.ts'));
  const received: unknown[] = [];
  for await (const result of follow({ name: 'Grace', accountIds: [] }, { query: 'subscription { n }' }))
    received.push(result);
  expect(received).toEqual([{ data: { n: 1 } }, { data: { n: 2 } }]);
  expect(sent).toEqual(['Bearer token 0', 'Bearer token 1']);
});
