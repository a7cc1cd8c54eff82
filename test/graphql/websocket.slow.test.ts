/** GraphQL over a WebSocket: the protocol, who may connect and for how long, and how much of everything. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { maxOperations } from '../../src/graphql/doors/websocket.ts';
import { keylessLimits } from '../../src/graphql/doors/websocket-keyless.ts';
import { type Gateway, graphql, startGateway, type TestWorkspace } from '../support/gateway.ts';
import { sendBytes } from '../support/raw-http.ts';
import { openSocket, type SocketOptions, type TestSocket } from '../support/web-socket.ts';

const viewer = '{ viewer { name } }';
const watch = 'subscription Watch($ids: [ID!]!) { accountUpdated(accountIds: $ids) { id status } }';

let gateway: Gateway;
let workspace: TestWorkspace;
beforeAll(async () => {
  gateway = await startGateway({ environment: { CORS_ORIGINS: 'https://app.example' } });
  workspace = await gateway.workspace();
});
afterAll(() => gateway.close());

async function open(options: SocketOptions = {}, key = workspace.key) {
  const opened = await openSocket(gateway.address, { init: { 'x-api-key': key }, ...options });
  onTestFinished(() => opened.socket.terminate());
  return opened;
}

/** A gateway that ends with the test. */
async function start(environment: Readonly<Record<string, string>> = {}) {
  const own = await startGateway({ environment });
  onTestFinished(() => own.close());
  return { own, workspace: await own.workspace() };
}

const setStatus = (accountId: string, status: string, { app }: Gateway = gateway) =>
  app.database.updateTable('accounts').set({ status }).where('id', '=', accountId).execute();

describe('operations', () => {
  test('queries, mutations and subscriptions go over one connection', async () => {
    const accountId = await workspace.account();
    const client = await open();
    expect(await client.ask('1', { query: viewer })).toEqual({
      id: '1',
      type: 'next',
      payload: { data: { viewer: { name: 'test' } } },
    });
    expect(await client.next('1')).toEqual({ id: '1', type: 'complete' });

    const first = await client.ask('2', { query: watch, variables: { ids: [accountId] }, operationName: 'Watch' });
    expect(first.payload.data.accountUpdated.status).toBe('OK');

    const input = `{ accountId: "${accountId}", posting: { jobTitle: { text: "x" } } }`;
    const create = `mutation { createJobDraft(input: ${input}) { __typename } }`;
    const created = await client.ask('3', { query: create, extensions: {} });
    expect(created.payload.data.createJobDraft.__typename).toBe('PnetJobPostingCreated');

    await setStatus(accountId, 'CREDENTIALS');
    expect((await client.next('2')).payload.data.accountUpdated.status).toBe('CREDENTIALS');
    client.say({ type: 'complete', id: '2' });
    await expect.poll(() => gateway.app.streams.count('subscription')).toBe(0);
    expect(gateway.app.streams.count('socket')).toBe(1);
    // The id is free again.
    expect((await client.ask('2', { query: viewer })).type).toBe('next');
  });

  test('a refused one has the errors of HTTP, a failed one its data', async () => {
    const client = await open();
    const query = '{ viewer { nothing } }';
    const over = await graphql(gateway.address, workspace.key, query);
    const { type, payload } = await client.ask('1', { query });
    expect(type).toBe('error');
    const untold = { requestId: expect.any(String) };
    expect(payload).toEqual(over.errors.map((each) => ({ ...each, extensions: { ...each.extensions, ...untold } })));

    const posts = 'posts(accountId: "x", identifier: "y") { nodes { __typename } }';
    const failed = await client.ask('2', { query: `{ viewer { name } ${posts} }` });
    expect(failed).toMatchObject({ type: 'next', payload: { data: { viewer: {}, posts: null } } });
    expect(failed.payload.errors).toMatchObject([{ path: ['posts'] }]);
    expect(await client.next('2')).toEqual({ id: '2', type: 'complete' });
  });

  test('each has a line in the log, and the connection two', async () => {
    const client = await open();
    const from = gateway.log.length;
    await client.ask('1', { query: 'query Named { viewer { name } }' });
    client.socket.close();
    await expect.poll(() => gateway.log.slice(from).map(({ msg }) => msg)).toEqual(['request', 'websocket closed']);
    const [request, closed] = gateway.log.slice(from);
    const connection = gateway.log.findLast(({ status }) => status === 101);
    expect(request).toMatchObject({
      reqId: `${connection?.reqId}.1`,
      method: 'WS',
      path: '/graphql',
      operation: 'Named',
    });
    expect(request).toMatchObject({ workspaceId: workspace.workspaceId, cost: expect.any(Number) });
    expect(closed).toMatchObject({ reqId: connection?.reqId, code: 1005, operations: 1 });
    expect(JSON.stringify(gateway.log)).not.toContain(workspace.key);
  });
});

describe('the key', () => {
  const inits = (key: string): readonly SocketOptions[] => [
    { init: { 'x-api-key': key } },
    { init: { 'X-API-KEY': key } },
    { init: { Authorization: `Bearer ${key}` } },
    { headers: { 'x-api-key': key } },
    { headers: { authorization: `Bearer ${key}` } },
    // What begins with a key has no other.
    { init: { authorization: `Bearer ${key}` }, headers: { 'x-api-key': 'pst_wrong' } },
  ];
  test.each([0, 1, 2, 3, 4, 5])('comes in a header or with connection_init (%i)', async (at) => {
    const client = await open(inits(workspace.key)[at]);
    expect((await client.ask('1', { query: viewer })).payload.data.viewer.name).toBe('test');
  });

  test.each([
    ['missing', {}, 'missing_credentials'],
    ['wrong', { 'x-api-key': 'pst_wrong' }, 'invalid_credentials'],
  ])('that is %s is told by each operation; the schema can be read without one', async (_how, init, name) => {
    const client = await open({ init });
    const { payload } = await client.ask('1', { query: viewer });
    expect(payload).toMatchObject([{ extensions: { code: name.toUpperCase() } }]);
    const schema = await client.ask('2', { query: '{ __schema { queryType { name } } }' });
    expect(schema.type).toBe('x-api-key' in init ? 'error' : 'next');
  });

  test('that is revoked soon ends the connection, with a code after which clients come back', async () => {
    const own = await gateway.workspace();
    const accountId = await own.account();
    const client = await open({}, own.key);
    await client.ask('1', { query: watch, variables: { ids: [accountId] } });
    const revoked = { revoked_at: gateway.clock.now.getTime() };
    await gateway.app.database
      .updateTable('api_keys')
      .set(revoked)
      .where('workspace_id', '=', own.workspaceId)
      .execute();
    expect(await client.closed).toEqual([4403, 'The API key is not valid.']);
    // It was not completed: what has another key goes on with it.
    expect(client.messages.filter(({ id }) => id === '1').map(({ type }) => type)).toEqual(['next']);
    await expect.poll(() => gateway.app.streams.count('subscription')).toBe(0);
  });

  test('that expires ends the connection at once', async () => {
    const expiresAt = new Date(gateway.clock.now.getTime() + 1_500);
    const client = await open({}, await workspace.newKey({ expiresAt }));
    await client.ask('1', { query: watch, variables: { ids: [await workspace.account()] } });
    gateway.clock.now = expiresAt;
    expect(await client.closed).toEqual([4403, 'The API key has expired: rotate it.']);
    expect(client.messages.filter(({ id }) => id === '1').map(({ type }) => type)).toEqual(['next']);
  });
});

describe('the protocol', () => {
  test.each([
    [
      'an operation without an id',
      [{ type: 'connection_init' }, { type: 'subscribe', payload: { query: '{a}' } }],
      4400,
    ],
    ...['ping', 'pong', 'connection_init', 'complete', 'subscribe'].map((type): [string, string[], number] => [
      `a ${type} nested too deep`,
      [
        `{"type":"${type}","id":"1","${type === 'subscribe' ? 'extra' : 'payload'}":{"a":${'['.repeat(7_000)}${']'.repeat(7_000)}}}`,
      ],
      4400,
    ]),
    ['a message that is too large', [' '.repeat(1_048_577)], 1009],
  ])('%s closes the connection', async (_what, messages, code) => {
    const client = await open({ init: null });
    for (const message of messages) client.say(message);
    expect((await client.closed)[0]).toBe(code);
  });

  test('whoever does not begin is closed', { timeout: 20_000 }, async () => {
    const client = await open({ init: null });
    expect((await client.closed)[0]).toBe(4408);
  });

  test('a ping has its pong', async () => {
    const client = await open();
    client.say({ type: 'ping', payload: { at: 1 } });
    expect(await client.next()).toEqual({ type: 'pong', payload: { at: 1 } });
    client.socket.ping('x');
    const [data] = await once(client.socket, 'pong');
    expect(String(data)).toBe('x');
  });
});

describe('limits', () => {
  test('operations of a connection', async () => {
    const client = await open();
    const accountId = await workspace.account();
    for (let at = 0; at < maxOperations; at += 1) {
      client.say({ type: 'subscribe', id: String(at), payload: { query: watch, variables: { ids: [accountId] } } });
    }
    const { type, payload } = await client.ask('more', { query: viewer });
    expect(type).toBe('error');
    expect(payload).toMatchObject([{ extensions: { code: 'SERVICE_UNAVAILABLE' } }]);
    client.say({ type: 'complete', id: '0' });
    expect((await client.ask('again', { query: viewer })).type).toBe('next');
  });

  test('connections of a key, and subscriptions as over HTTP', async () => {
    const { own, workspace: mine } = await start({ STREAMS_PER_KEY: '2' });
    const connect = () => openSocket(own.address, { init: null });
    const [one, two, three] = [await connect(), await connect(), await connect()];
    const begin = { type: 'connection_init', payload: { 'x-api-key': mine.key } };
    for (const each of [one, two]) {
      each.say(begin);
      await each.next();
    }
    three.say(begin);
    const full = 'The API key has 2 WebSockets open, and can have no more: close one.';
    expect(await three.closed).toEqual([1013, full]);
    const payload = { query: watch, variables: { ids: [await mine.account()] } };
    expect((await one.ask('1', payload)).type).toBe('next');
    expect((await two.ask('1', payload)).type).toBe('next');
    expect(await two.ask('2', payload)).toMatchObject({
      type: 'error',
      payload: [{ extensions: { code: 'SERVICE_UNAVAILABLE' } }],
    });
    one.socket.close();
    await one.closed;
    await expect.poll(() => own.app.streams.count('socket')).toBe(1);
    await openSocket(own.address, { init: begin.payload });
  });

  test.each([
    ['without a key', {}, keylessLimits.keyless],
    ['that have not begun', null, keylessLimits.beginning],
  ])('connections %s, by address', async (_what, init, limit) => {
    const { own, workspace: mine } = await start();
    const known = await openSocket(own.address, { init: { 'x-api-key': mine.key } });
    const strangers: TestSocket[] = [];
    for (let at = 0; at < limit; at += 1) strangers.push(await openSocket(own.address, { init }));
    // Those without a key hold up nobody who sends one, behind the same address.
    if (init !== null) await openSocket(own.address, { init: { 'x-api-key': mine.key } });
    const begin = { type: 'connection_init', payload: {} };
    const next = await openSocket(own.address, { init: null });
    if (init !== null) next.socket.send(JSON.stringify(begin));
    expect((await next.closed)[0]).toBe(1013);
    strangers[0]?.socket.close();
    await strangers[0]?.closed;
    await openSocket(own.address, { init: { 'x-api-key': mine.key } });
    await openSocket(own.address, { init });
    expect((await known.ask('1', { query: viewer })).type).toBe('next');
  });

  test.each([
    ['that has not begun', null, 1009],
    ['without a key', {}, 1009],
    ['with a key', undefined, null],
  ])('an unfinished message of a connection %s', async (_what, init, code) => {
    const client = await open(init === undefined ? {} : { init });
    client.socket.send(' '.repeat(16_385), { fin: false });
    if (code !== null) return expect((await client.closed)[0]).toBe(code);
    client.socket.send('{"type":"ping"}');
    expect(await client.next()).toEqual({ type: 'pong' });
  });

  test.each([
    ['that has not begun', null],
    ['without a key', {}],
  ])('messages of a connection %s', async (_what, init) => {
    const stranger = await open({ init });
    for (let at = 0; at <= keylessLimits.messages; at += 1) stranger.say({ type: 'pong' });
    expect(await stranger.closed).toEqual([4403, 'Send a right API key first.']);
  });

  test('a connection with a key may send more messages', async () => {
    const client = await open();
    for (let at = 0; at <= keylessLimits.messages; at += 1) client.say({ type: 'pong' });
    expect((await client.ask('1', { query: viewer })).type).toBe('next');
  });

  test('a packet of many operations leaves turns to others', async () => {
    const client = await open();
    let turns = 0;
    const timer = setInterval(() => {
      if (client.messages.length > 1) turns += 1;
    }, 1);
    client.socket.pause();
    for (let at = 0; at < 5_000; at += 1) client.say({ type: 'subscribe', id: String(at), payload: { query: '{' } });
    client.socket.resume();
    await expect.poll(() => client.messages.length).toBe(5_001);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(5);
  });
});

describe('what asks for a WebSocket and gets none', () => {
  const upgrade = (
    path: string,
    headers: Readonly<Record<string, string>>,
    { method = 'GET', version = '1.1', behind = '' } = {},
  ) =>
    sendBytes(
      gateway.address,
      [
        `${method} ${path} HTTP/${version}`,
        ...Object.entries({
          host: new URL(gateway.address).host,
          connection: 'Upgrade',
          upgrade: 'websocket',
          'sec-websocket-version': '13',
          'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
          'sec-websocket-protocol': 'graphql-transport-ws',
          ...headers,
        }).map(([name, value]) => `${name}: ${value}`),
        `\r\n${behind}`,
      ].join('\r\n'),
    );

  test.each(['websocket', 'h2c'])(
    'has the only response of its connection (%s)',
    { timeout: 5_000 },
    async (protocol) => {
      const behind = 'GET /livez HTTP/1.1\r\nhost: x\r\n\r\n';
      const responses = await upgrade('/livez', { upgrade: protocol }, { behind });
      expect(responses.match(/^HTTP\/1\.1 \d+/gm)).toEqual(['HTTP/1.1 200']);
      expect(responses).toMatch(/^connection: close\r$/im);
    },
  );

  test.each([
    ['an endpoint, which ignores the wish', '/v1/webhooks', {}, 401, 'missing_credentials'],
    ['an unknown path', '/subscriptions?x=1', {}, 404, 'There is no WebSocket at /subscriptions. GraphQL has one at'],
    ['the former protocol', '/graphql', { 'sec-websocket-protocol': 'graphql-ws' }, 400, 'graphql-transport-ws'],
    ['no protocol', '/graphql', { 'sec-websocket-protocol': '' }, 400, 'graphql-transport-ws'],
    ['a former version', '/graphql', { 'sec-websocket-version': '8' }, 426, 'Use version 13'],
    ['no key of the handshake', '/graphql', { 'sec-websocket-key': '' }, 400, 'Sec-WebSocket-Key'],
    ['a page of another origin', '/graphql', { origin: 'https://evil.example' }, 403, 'CORS_ORIGINS'],
    ['a sandboxed page', '/graphql', { origin: 'null' }, 403, 'CORS_ORIGINS'],
  ])('%s', async (_what, path, headers, status, detail) => {
    const response = await upgrade(path, headers);
    expect(response).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(response).toContain(detail);
    expect(response).toMatch(/^x-request-id: /m);
    expect(response).toMatch(/^connection: close\r$/im);
  });

  test('what has a body, or asks by HTTP/1.0', async () => {
    expect(await upgrade('/graphql', { 'content-length': '5' }, { behind: 'abcde' })).toMatch(/^HTTP\/1.1 400 /);
    expect(await upgrade('/graphql', { 'transfer-encoding': 'chunked' }, { behind: '0\r\n\r\n' })).toMatch(
      /^HTTP\/1.1 400 /,
    );
    expect(await upgrade('/graphql', {}, { version: '1.0' })).toMatch(/^HTTP\/1.1 400 /);
  });

  test('the log tells no key or token in a path', async () => {
    for (const secret of [
      workspace.key,
      workspace.key.replace('_', '%5F'),
      'eyJhbGciOiJIUzI1NiJ9.eyJqdGkiOiJ4In0.c2ln',
    ]) {
      const from = gateway.log.length;
      for (const path of [`/other/${secret}`, `/v1/${secret}/x`, `/webhooks/${secret}`]) {
        await fetch(gateway.address + path);
        await upgrade(path, {});
      }
      const told = () => gateway.log.slice(from).filter(({ path }) => String(path).includes('[redacted]'));
      await expect.poll(() => told().length).toBe(6);
      expect(JSON.stringify(gateway.log.slice(from))).not.toContain(secret.slice(-20));
    }
  });

  test('pages of origins that may read responses get one, and those of its own', async () => {
    for (const origin of ['https://app.example', gateway.address]) {
      const client = await open({ headers: { origin } });
      expect((await client.ask('1', { query: viewer })).type).toBe('next');
    }
  });
});

test.each([
  ['without a right key', null, 1],
  ['with one', () => ({ 'x-api-key': workspace.key }), 64],
])('a message in more parts than clients send closes a connection %s', async (_whose, init, most) => {
  const inParts = async (parts: number) => {
    const opened = await openSocket(gateway.address, { init: init?.() ?? null });
    onTestFinished(() => opened.socket.terminate());
    const message = `{"type":"ping"${' '.repeat(100)}}`;
    for (let at = 0; at < parts; at += 1)
      opened.socket.send(message.slice(at, at === parts - 1 ? undefined : at + 1), { fin: at === parts - 1 });
    return opened;
  };
  const whole = await inParts(most);
  await expect.poll(() => whole.messages.map(({ type }) => type)).toContain('pong');
  expect((await (await inParts(most + 1)).closed)[0]).toBe(1008);
});

describe('the end of the process', () => {
  const clientOf = (url: () => string, key: () => string) => {
    const client = createClient({
      url: () => `${url().replace('http', 'ws')}/graphql`,
      connectionParams: () => ({ 'x-api-key': key() }),
      webSocketImpl: WebSocket,
      retryWait: () => sleep(50),
    });
    onTestFinished(() => client.dispose());
    return client;
  };

  test('clients of graphql-ws go on at another', { timeout: 30_000 }, async () => {
    const own = await startGateway();
    const mine = await own.workspace();
    let at = { address: own.address, key: mine.key };
    const client = clientOf(
      () => at.address,
      () => at.key,
    );
    const closes: unknown[] = [];
    client.on('closed', (event) => closes.push((event as { readonly code: number }).code));
    const ended: unknown[] = [];
    const sink = { next() {}, error: (error: unknown) => ended.push(error), complete: () => ended.push('complete') };
    client.subscribe({ query: 'subscription { deliveryUpdated { state } }' }, sink);
    await expect.poll(() => own.app.streams.count('subscription')).toBe(1);
    at = { address: gateway.address, key: workspace.key };
    await own.close();
    expect(closes).toEqual([1001]);
    await expect.poll(() => gateway.app.streams.count('subscription')).toBe(1);
    expect(ended).toEqual([]);
  });

  test('what is not a subscription is finished first', { timeout: 30_000 }, async () => {
    const reading = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const own = await startGateway({
      providers: (sandbox) => ({
        ...sandbox,
        PNET: {
          ...sandbox.PNET,
          async listPosts(...args) {
            reading.resolve();
            await held.promise;
            return sandbox.PNET.listPosts(...args);
          },
        },
      }),
    });
    const mine = await own.workspace();
    const client = await openSocket(own.address, { init: { 'x-api-key': mine.key } });
    client.say({ type: 'subscribe', id: '1', payload: { query: 'subscription { deliveryUpdated { state } }' } });
    const posts = `{ posts(accountId: "${await mine.account()}", identifier: "ada") { nodes { __typename } } }`;
    const asked = client.ask('2', { query: posts });
    await reading.promise;
    const closing = own.close();
    await sleep(100);
    client.say({ type: 'subscribe', id: '3', payload: { query: viewer } });
    // A client that gets no pong closes, and loses what was to be finished.
    client.say({ type: 'ping' });
    await expect.poll(() => client.messages.map(({ type }) => type)).toContain('pong');
    held.resolve();
    expect((await asked).payload).toHaveProperty('data.posts');
    expect(await client.closed).toEqual([1001, 'The gateway is stopping. Connect again.']);
    await closing;
    expect(client.messages.map(({ id, type }) => `${type} ${id ?? ''}`)).toEqual([
      'connection_ack ',
      'pong ',
      'next 2',
      'complete 2',
    ]);
  });

  test('a connection whose upgrade had begun before is closed', async () => {
    const { own } = await start();
    own.app.streams.end();
    const client = await openSocket(own.address, { init: null });
    expect(await client.closed).toEqual([1001, 'The gateway is stopping. Connect again.']);
  });
});
