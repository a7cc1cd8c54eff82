/** A message that is refused destroys nothing that came before it, and what comes behind it is not begun. Bytes that nobody could serve are refused ahead of the parser. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { maxOperations, maxSmallMessages } from '../../src/graphql/doors/websocket.ts';
import { maxBodyBytes } from '../../src/http/request-bodies.ts';
import { type Gateway, startGateway, type TestWorkspace } from '../support/gateway.ts';
import { openSocket } from '../support/web-socket.ts';

let gateway: Gateway;
let workspace: TestWorkspace;
let started: PromiseWithResolvers<void>;
let held: PromiseWithResolvers<void>;
beforeAll(async () => {
  gateway = await startGateway({
    providers: (sandbox) => ({
      ...sandbox,
      PNET: {
        ...sandbox.PNET,
        async publish(...args) {
          started.resolve();
          await held.promise;
          return sandbox.PNET.publish(...args);
        },
      },
    }),
  });
  workspace = await gateway.workspace();
});
afterAll(() => gateway.close());

const open = (init: object = { 'x-api-key': workspace.key }, headers: Readonly<Record<string, string>> = {}) =>
  openSocket(gateway.address, { init, headers });

const viewer = { query: '{ viewer { __typename } }' };
const subscribe = (id: string, payload: object) => ({ type: 'subscribe', id, payload });
const webhook = `mutation { createWebhook(input: { requestUrl: "https://hooks.example/", source: USERS }) { __typename } }`;

const refusals: Readonly<Record<string, readonly [(client: Awaited<ReturnType<typeof open>>) => void, number]>> = {
  'text that is no JSON': [({ say }) => say('{'), 4400],
  'a message of no type': [({ say }) => say({ type: 'start' }), 4400],
  'a message that is nested too deeply': [({ say }) => say('['.repeat(maxBodyBytes)), 4400],
  'too many entries': [
    ({ say }) => say(subscribe('x', { ...viewer, variables: { list: Array(10_001).fill(1) } })),
    4400,
  ],
  bytes: [({ socket }) => socket.send(Buffer.from([0])), 4400],
  'a second beginning': [({ say }) => say({ type: 'connection_init' }), 4429],
  'an id that is taken': [({ say }) => say(subscribe('1', viewer)), 4409],
  'pings without end': [
    ({ say }) => {
      for (let at = 0; at <= maxSmallMessages; at += 1) say({ type: 'ping' });
    },
    4429,
  ],
  'ping frames without end': [
    ({ socket }) => {
      for (let at = 0; at <= maxSmallMessages; at += 1) socket.ping();
    },
    4429,
  ],
};

test.each(Object.entries(refusals))('%s', async (_what, [refuse, code]) => {
  started = Promise.withResolvers();
  held = Promise.withResolvers();
  const accountId = await workspace.account();
  const client = await open();
  const draft = `mutation { createJobDraft(input: { accountId: "${accountId}", posting: { jobTitle: { text: "x" } } }) { ... on PnetJobPostingCreated { jobPosting { jobId } } } }`;
  const { payload } = await client.ask('draft', { query: draft });
  const { jobId } = payload.data.createJobDraft.jobPosting;
  expect((await client.next('draft')).type).toBe('complete');
  const publish = `mutation { publishJob(input: { accountId: "${accountId}", jobId: "${jobId}", mode: FREE }) { __typename } }`;
  const watching = client.ask('watch', { query: 'subscription { deliveryUpdated { state } }' });
  client.say(subscribe('1', { query: publish }));
  await started.promise;
  client.say(subscribe('2', viewer));
  client.say(subscribe('3', { query: webhook.replace('hooks.example/', `hooks.example/${code}-before`) }));
  refuse(client);
  client.say(subscribe('4', { query: webhook.replace('hooks.example/', `hooks.example/${code}-behind`) }));
  client.say({ type: 'ping', payload: { behind: true } });
  await expect.poll(() => client.messages.filter(({ type }) => type === 'complete').length).toBe(3);
  held.resolve();
  expect((await client.closed)[0]).toBe(code);
  const { database } = gateway.app;
  const made = await database.selectFrom('webhooks').select('request_url').execute();
  const urls = made.map(({ request_url }) => request_url).filter((url) => url.includes(`${code}-`));
  expect(new Set(urls)).toEqual(new Set([`https://hooks.example/${code}-before`]));
  const told = client.messages
    .filter(({ id }) => id !== undefined && id !== 'draft')
    .map(({ type, id }) => `${type} ${id}`);
  expect(told.sort()).toEqual(['complete 1', 'complete 2', 'complete 3', 'next 1', 'next 2', 'next 3']);
  expect(JSON.stringify(client.messages)).not.toContain('behind');
  watching.catch(() => undefined);
});

test('operations without end beyond those of a connection', async () => {
  const client = await open();
  const many = Array.from({ length: maxOperations }, (_, at) => `of ${at}`);
  for (const id of many) client.say(subscribe(id, { query: 'subscription { deliveryUpdated { state } }' }));
  for (let at = 0; at <= maxSmallMessages; at += 1) client.say(subscribe(`${at}`, viewer));
  expect((await client.closed)[0]).toBe(4429);
});

test('an operation before the acknowledgement', async () => {
  const client = await openSocket(gateway.address, { init: null });
  client.say(subscribe('1', viewer));
  client.say({ type: 'connection_init', payload: { 'x-api-key': workspace.key } });
  expect((await client.closed)[0]).toBe(4401);
  expect(client.messages).toEqual([]);
});

describe('a key in another place than a header', () => {
  const key = () => workspace.key;
  test.each([
    ['headers.x-api-key', () => ({ headers: { 'x-api-key': key() } })],
    ['headers.Authorization', () => ({ headers: { Authorization: `Bearer ${key()}` } })],
    ['http.headersOf', () => ({ http: { headersOf: 1, 'X-API-KEY': key() } })],
    ['apiKey', () => ({ apiKey: key() })],
    ['authToken', () => ({ authToken: key() })],
    ['access_token', () => ({ access_token: key() })],
  ])('%s', async (_place, payload) => {
    const client = await openSocket(gateway.address, { init: null });
    client.say({ type: 'connection_init', payload: payload() });
    const [code, reason] = await client.closed;
    expect([code, reason]).toEqual([4403, expect.stringContaining('payload of connection_init itself, as x-api-key')]);
    expect(reason).not.toContain(key());
  });

  test('harms nobody who has one in its place', async () => {
    const nested = { headers: { 'x-api-key': 'another' }, token: 'x' };
    for (const client of [await open({ ...nested, 'x-api-key': key() }), await open(nested, { 'x-api-key': key() })])
      expect((await client.ask('1', viewer)).type).toBe('next');
    expect((await (await open({ client: { name: 'x' } })).ask('1', { query: '{ __typename }' })).type).toBe('next');
  });
});

test('messages that wait for their turns keep their order', async () => {
  const client = await open();
  const large = (id: string) => subscribe(id, { ...viewer, extensions: { of: 'x'.repeat(500_000) } });
  for (let at = 0; at < 20; at += 1) client.say(large(`${at}`));
  client.say(subscribe('last', viewer));
  expect((await client.next('last')).type).toBe('next');
  const order = client.messages.filter(({ type }) => type === 'next').map(({ id }) => id);
  expect(order).toEqual([...Array.from({ length: 20 }, (_, at) => `${at}`), 'last']);
});
