/** `createGateway`: the gateway within a program, without a socket and behind other servers. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { createGateway, type Gateway, type GatewayOptions } from 'postern';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../support/process.ts';

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let gateway: Gateway;
let key: string;
const log: Record<string, unknown>[] = [];
const logger = pino({ level: 'info' }, { write: (line: string) => void log.push(JSON.parse(line)) });
const small = { nodeEnv: 'test', logger } as const satisfies GatewayOptions;

beforeAll(async () => {
  directory = await temporaryDirectory();
  gateway = await createGateway({
    ...small,
    databaseUrl: `sqlite:${join(directory.path, 'postern.db')}`,
    demo: true,
    port: 0,
    keylessPerMinute: 3,
    trustProxy: ['10.0.0.0/8'],
  });
  key = (await readFile(join(directory.path, 'demo-key'), 'utf8')).trim();
});
afterAll(async () => {
  await gateway?.close();
  await directory?.[Symbol.asyncDispose]();
});

const viewer = '{ viewer { name } }';
const asking = (query: string, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', 'x-api-key': key, ...headers },
  body: JSON.stringify({ query }),
});

describe('fetch', () => {
  test('serves a request, a path and an address', async () => {
    const request = new Request('https://bff.example/graphql', asking(viewer));
    const responses = [
      await gateway.fetch(request),
      await gateway.fetch('/graphql', asking(viewer)),
      await gateway.fetch(new URL('http://any.example/graphql'), asking(viewer)),
    ];
    for (const response of responses) {
      expect([response.status, response.statusText]).toEqual([200, 'OK']);
      expect(response.headers.get('content-type')).toContain('application/json');
      expect(response.headers.get('connection')).toBeNull();
      expect(await response.json()).toEqual({ data: { viewer: { name: 'Demo key' } } });
    }
  });

  test.each(['1', '999', 'none'])('sends a body as long as it is, whatever its headers say: %s', async (length) => {
    const init = { ...asking(viewer, { 'content-length': length }), signal: AbortSignal.timeout(2_000) };
    expect(await (await gateway.fetch('/graphql', init)).json()).toEqual({ data: { viewer: { name: 'Demo key' } } });
    const empty = { headers: { 'content-length': length }, signal: AbortSignal.timeout(2_000) };
    expect((await gateway.fetch('/livez', empty)).status).toBe(200);
  });

  test('has the limits of the server: sizes, paths, methods', async () => {
    const large = await gateway.fetch('/graphql', asking(`#${'x'.repeat(1_100_000)}`));
    expect(large.status).toBe(400);
    expect((await large.json()).errors[0].extensions.code).toBe('CONTENT_TOO_LARGE');
    expect((await gateway.fetch('/nothing')).status).toBe(404);
    expect((await gateway.fetch('/graphql', { method: 'PUT' })).status).toBe(405);
    expect((await gateway.fetch('/graphql', { method: 'POST', headers: { 'x-api-key': key } })).status).toBe(400);
    const head = await gateway.fetch('/livez', { method: 'HEAD' });
    expect([head.status, head.body]).toEqual([200, null]);
  });

  test('counts those without a key by the address of the client, and believes proxies that are trusted', async () => {
    const statuses = async (init: { address: string }, forwarded = '') => {
      const headers = { 'x-api-key': '', 'x-forwarded-for': forwarded };
      const all = Array.from({ length: 4 }, () =>
        gateway.fetch('/graphql', { ...asking('{ __typename }', headers), ...init }),
      );
      return (await Promise.all(all)).map(({ status }) => status).sort();
    };
    expect(await statuses({ address: '203.0.113.1' })).toEqual([200, 200, 200, 503]);
    expect(await statuses({ address: '203.0.113.2' }, '198.51.100.1')).toEqual([200, 200, 200, 503]);
    expect(await statuses({ address: '203.0.113.2' }, '198.51.100.2')).toEqual([503, 503, 503, 503]);
    expect(await statuses({ address: '10.0.0.1' }, '198.51.100.3')).toEqual([200, 200, 200, 503]);
  });

  const watch = (name: string, signal?: AbortSignal) => {
    const query = `subscription ${name} { accountUpdated(accountIds: ["pnet-----------------A"]) { status } }`;
    return gateway.fetch('/graphql', { ...asking(query, { accept: 'text/event-stream' }), ...(signal && { signal }) });
  };
  const ended = (name: string) =>
    expect.poll(() => log.find(({ operation }) => operation === name)).toMatchObject({ status: 200, aborted: true });

  test('streams a subscription, which ends when its request is aborted', async () => {
    const leaving = new AbortController();
    const response = await watch('Aborted', leaving.signal);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('"OK"')) text += (await reader?.read())?.value ?? '';
    expect(text).toContain('event: next');
    const rest = reader?.read();
    leaving.abort(new Error('gone'));
    await expect(rest).rejects.toThrow('gone');
    await ended('Aborted');
  });

  test('streams a subscription, which ends when its body is cancelled', async () => {
    const response = await watch('Cancelled');
    await response.body?.cancel();
    await ended('Cancelled');
  });

  test('rejects with the reason of a request that is aborted', async () => {
    await expect(gateway.fetch('/graphql', { ...asking(viewer), signal: AbortSignal.abort('why') })).rejects.toBe(
      'why',
    );
    const stream = new ReadableStream({ pull: (controller) => controller.error(new Error('no body')) });
    const broken = { ...asking(viewer), body: stream, duplex: 'half' } as RequestInit;
    await expect(gateway.fetch('/graphql', broken)).rejects.toThrow('no body');
  });

  test('leaves a body that is refused', async () => {
    let cancelled = false;
    const stream = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
      cancel() {
        cancelled = true;
      },
    });
    const response = await gateway.fetch('/graphql', {
      ...asking(viewer),
      body: stream,
      duplex: 'half',
    } as RequestInit);
    expect(await response.text()).toContain('CONTENT_TOO_LARGE');
    await expect.poll(() => cancelled).toBe(true);
  });
});

/** The address of another server. */
async function behind(listener = gateway.requestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('requestListener', () => {
  test('serves what another server has received, refusals too', async () => {
    const address = await behind();
    const response = await fetch(`${address}/graphql`, asking(viewer));
    expect(await response.json()).toEqual({ data: { viewer: { name: 'Demo key' } } });
    expect((await fetch(`${address}/graphql`, { headers: { accept: 'text/html' } })).status).toBe(200);
    const large = await fetch(`${address}/graphql`, asking('x'.repeat(4_000_000)));
    expect(large.status).toBe(400);
    expect((await large.json()).errors[0].extensions.code).toBe('CONTENT_TOO_LARGE');
  });

  test('reads the rest of a body that is refused: the connection serves the next request', async () => {
    const { port } = new URL(await behind());
    const socket = connect(Number(port), '127.0.0.1').setEncoding('utf8');
    onTestFinished(() => void socket.destroy());
    let text = '';
    socket.on('data', (part: string) => {
      text += part;
    });
    const bytes = 2_000_000;
    const headers = ['host: a', 'content-type: application/json', `x-api-key: ${key}`, `content-length: ${bytes}`];
    socket.write(`POST /graphql HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`);
    socket.write(`${'x'.repeat(bytes)}GET /livez HTTP/1.1\r\nhost: a\r\n\r\n`);
    await expect
      .poll(() => text.match(/HTTP\/1\.1 \d+/g), { timeout: 5_000 })
      .toEqual(['HTTP/1.1 400', 'HTTP/1.1 200']);
  });

  test('ends what the client has left', async () => {
    const address = await behind();
    const leaving = new AbortController();
    const query = 'subscription Left { accountUpdated(accountIds: ["pnet-----------------A"]) { status } }';
    const init = { ...asking(query, { accept: 'text/event-stream' }), signal: leaving.signal };
    const response = await fetch(`${address}/graphql`, init);
    expect(response.status).toBe(200);
    leaving.abort();
    await expect.poll(() => log.find(({ operation }) => operation === 'Left')).toMatchObject({ aborted: true });
  });

  test('passes headers as they were sent: a second Host is refused', async () => {
    const { port } = new URL(await behind());
    const socket = connect(Number(port), '127.0.0.1');
    socket.write('GET /livez HTTP/1.1\r\nhost: a\r\nhost: b\r\nconnection: close\r\n\r\n');
    const [head] = await once(socket.setEncoding('utf8'), 'data');
    expect(head).toMatch(/^HTTP\/1\.1 400 /);
  });

  test('says that a body has been read already', async () => {
    const failures: unknown[] = [];
    const address = await behind(async (request, response) => {
      for await (const _ of request);
      try {
        gateway.requestListener(request, response);
      } catch (error) {
        failures.push(error);
        response.writeHead(500).end();
      }
    });
    expect((await fetch(`${address}/graphql`, asking(viewer))).status).toBe(500);
    expect(failures).toMatchObject([{ message: expect.stringContaining('mount the gateway before') }]);
  });
});

test('it is ready, has its schema, and listens', async () => {
  await gateway.ready();
  expect(gateway.schema.getType('PnetPost')).toBeDefined();
  expect(gateway.signInPath).toMatch(/^\/graphql\?token=/);
  const address = await gateway.listen();
  expect(await (await fetch(`${address}/graphql`, asking(viewer))).json()).toEqual({
    data: { viewer: { name: 'Demo key' } },
  });
});

test('a close lets requests in flight finish, and those after it are refused', async () => {
  const closing = await createGateway({
    ...small,
    databaseUrl: 'sqlite::memory:',
    secret: 's'.repeat(32),
    demo: false,
    plugins: [{ onRequest: () => sleep(300) }],
  });
  const response = closing.fetch('/graphql', asking('{ __typename }', { 'x-api-key': '' }));
  await sleep(50);
  const closed = closing.close();
  expect(await (await response).json()).toEqual({ data: { __typename: 'Query' } });
  await closed;
  await expect(closing.fetch('/livez')).rejects.toThrow('socket hang up');
  const address = await behind(closing.requestListener);
  expect((await fetch(`${address}/livez`)).status).toBe(503);
});

test.each([
  [{ prot: 1 }, '"prot" is no option of the gateway'],
  [{ port: -1 }, 'PORT must be a whole number from 0 to 65535, but is "-1"'],
  [{ nodeEnv: 'production' }, 'DATABASE_URL must be set in production'],
])('%j is refused', async (options, message) => {
  await expect(createGateway(options as GatewayOptions)).rejects.toThrow(message);
});

test('a wrong option is an error of the compiler', () => {
  const all: GatewayOptions[] = [
    { port: 4000, corsOrigins: ['https://app.example'], otelSdkDisabled: true, upstreamHeaders: { a: 'b' } },
    { metricsPort: 9464, responseCache: 'redis', graphqlMaxCost: 1_000, httpProxy: 'http://proxy' },
    // @ts-expect-error it is a number
    { port: '4000' },
    // @ts-expect-error it is none of the words
    { responseCache: 'disk' },
    // @ts-expect-error it is misspelt
    { databaseURL: '' },
  ];
  expect(all).toHaveLength(5);
});
