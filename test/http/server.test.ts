/** The HTTP server under both faces: request ids, probes, log lines, and the envelope of what no face handles. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { StopLimits } from '../../src/http/connections.ts';
import type { Route } from '../../src/http/router.ts';
import { sendJson } from '../../src/http/send.ts';
import { createHttpServer, type HttpServer } from '../../src/http/server.ts';
import { ServiceError } from '../../src/kernel/errors.ts';

let server: HttpServer;
let address: string;
let log: Record<string, unknown>[];
let ready: () => Promise<void>;

beforeEach(async () => {
  log = [];
  ready = async () => {};
  const logger = pino({ level: 'info' }, { write: (line: string) => void log.push(JSON.parse(line)) });
  server = createHttpServer({
    logger,
    ready: () => ready(),
  });
});
afterEach(() => server.close());

async function listen(): Promise<void> {
  address = await server.listen({ host: '127.0.0.1', port: 0 });
}

const get = (path: string, serve: Route['serve']) => server.add([{ method: 'GET', path, serve }]);

const envelopeShape = z.object({
  title: z.string(),
  detail: z.string().optional(),
  instance: z.string(),
  type: z.string(),
  status: z.number(),
});

async function envelopeOf(response: Response) {
  const envelope = envelopeShape.parse(await response.json());
  expect(response.status).toBe(envelope.status);
  expect(response.headers.get('x-request-id')).toBe(envelope.instance);
  return envelope;
}

describe('a stop', () => {
  const stop: StopLimits = { arrivalMs: 200, streamMs: 200, stallMs: 600, drainMs: 1_500 };
  /** Requests a path, and stops. @returns how long that took */
  async function stopDuring(path: string) {
    await server.close();
    const logger = pino({ level: 'info' }, { write: (line: string) => void log.push(JSON.parse(line)) });
    server = createHttpServer({ logger, ready: async () => undefined, stop });
    get('/never', () => undefined);
    get('/later', (request) => void setTimeout(() => sendJson(request, 200, { late: true }), 900));
    get('/large', ({ response }) => void response.end(Buffer.alloc(12 * 1_024 * 1_024)));
    get('/stream', ({ response }) => {
      response.isStream = true;
      response.write('begun');
    });
    await listen();
    const arrived = once(server.server, 'request');
    const client = connect(Number(new URL(address).port), '127.0.0.1').on('error', () => undefined);
    client.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
    await arrived;
    const since = performance.now();
    await server.close();
    const ms = performance.now() - since;
    let text = '';
    for await (const chunk of client.setEncoding('latin1')) text += chunk;
    return {
      ms,
      text,
      told: log.flatMap(({ level, msg, reason }) => (msg === 'request' ? [] : [[level, reason ?? msg]])),
    };
  }
  const listening = [30, expect.stringMatching(/^Server listening/)];

  test('lets a request finish', async () => {
    const { ms, text, told } = await stopDuring('/later');
    expect(text).toContain('{"late":true}');
    expect(ms).toBeLessThan(stop.drainMs);
    expect(told).toEqual([listening]);
  });

  test('cuts off a request that does not finish', async () => {
    const { ms, told } = await stopDuring('/never');
    expect(ms).toBeGreaterThanOrEqual(stop.drainMs);
    expect(told).toEqual([listening, [40, 'requests in flight did not finish in time']]);
  });

  test.each([
    ['/large', stop.stallMs, 'The client does not read.'],
    ['/stream', stop.streamMs, 'The client does not read the end of the stream.'],
  ])('cuts off %s after %i ms', async (path, leastMs, reason) => {
    const { ms, told } = await stopDuring(path);
    expect(ms).toBeGreaterThanOrEqual(leastMs);
    expect(ms).toBeLessThan(stop.drainMs);
    expect(told).toEqual([listening, [30, reason]]);
  });
});

/** Sends bytes that need not be HTTP, and reads the response to its end. */
async function sendBytes(bytes: string): Promise<string> {
  const socket = connect(Number(new URL(address).port), '127.0.0.1');
  socket.setEncoding('latin1').end(bytes);
  let text = '';
  for await (const chunk of socket) text += chunk;
  return text;
}

describe('a request id', () => {
  beforeEach(async () => {
    get('/id', (request) => sendJson(request, 200, { id: request.id }));
    await listen();
  });

  test('is generated for a request that has none', async () => {
    const response = await fetch(`${address}/id`);
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(await response.json()).toEqual({ id: response.headers.get('x-request-id') });
  });

  test.each(['mine-12345', 'a'.repeat(64), 'A.b_c-1234'])('%s of the client is kept', async (id) => {
    const response = await fetch(`${address}/id`, { headers: { 'x-request-id': id } });
    expect(response.headers.get('x-request-id')).toBe(id);
  });

  test.each(['short', 'a'.repeat(65), 'with space', '{"json":1}'])('%s of the client is replaced', async (id) => {
    const response = await fetch(`${address}/id`, { headers: { 'x-request-id': id } });
    expect(response.headers.get('x-request-id')).not.toBe(id);
  });
});

describe('the probes', () => {
  beforeEach(listen);

  test('livez does not depend on the backend, readyz does', async () => {
    ready = async () => {
      throw new Error('the database is gone');
    };
    expect(await (await fetch(`${address}/livez`)).json()).toEqual({ status: 'alive' });
    expect(await envelopeOf(await fetch(`${address}/readyz`))).toMatchObject({
      type: 'errors/service_unavailable',
      detail: 'The gateway is not ready.',
    });
    ready = async () => {};
    expect(await (await fetch(`${address}/readyz`)).json()).toEqual({ status: 'ready' });
  });

  test('have a line in the log for each change, however many ask', async () => {
    for (const reason of ['gone', null, 'gone again', null]) {
      ready = () => (reason === null ? Promise.resolve() : Promise.reject(new Error(reason)));
      for (let n = 0; n < 20; n += 1) expect((await fetch(`${address}/readyz`)).ok).toBe(reason === null);
    }
    const lines = log.map(({ level, msg, err }) => [level, msg, (err as Error | undefined)?.message]);
    expect(lines.filter(([, msg]) => !String(msg).startsWith('Server listening'))).toEqual([
      [50, 'the gateway is not ready', 'gone'],
      [30, 'the gateway is ready again', undefined],
      [50, 'the gateway is not ready', 'gone again'],
      [30, 'the gateway is ready again', undefined],
    ]);
  });
});

describe('the log', () => {
  test('has one line for each request, without its query', async () => {
    await listen();
    await fetch(`${address}/nowhere?key=hunter2`, { headers: { 'x-request-id': 'logged-1', 'x-api-key': 'hunter2' } });
    await expect.poll(() => log.filter(({ msg }) => msg === 'request')).toHaveLength(1);
    expect(log.at(-1)).toMatchObject({ reqId: 'logged-1', method: 'GET', path: '/nowhere', status: 404 });
    expect(JSON.stringify(log)).not.toContain('hunter2');
  });

  test('has the cause of an unexpected failure, which the response does not show', async () => {
    get('/broken', () => {
      throw new Error('an internal name');
    });
    await listen();
    const envelope = await envelopeOf(await fetch(`${address}/broken`));
    expect(envelope).toMatchObject({ type: 'errors/unexpected_error', status: 500 });
    expect(JSON.stringify(envelope)).not.toContain('internal name');
    expect(log.find(({ msg }) => msg === 'request failed')).toMatchObject({
      reqId: envelope.instance,
      err: { message: 'an internal name' },
    });
  });
});

test('a client that has read its response is none that disconnects', async () => {
  const signals: AbortSignal[] = [];
  get('/quick', (request) => {
    signals.push(request.clientAborted);
    sendJson(request, 200, {});
  });
  await listen();
  await (await fetch(`${address}/quick`)).text();
  await server.close();
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
});

describe('what is refused ahead of any route', () => {
  beforeEach(async () => {
    server.add([
      {
        method: 'GET',
        path: '/adjusted/:id',
        serve() {},
        adjust: () => new ServiceError('no_handler'),
      },
    ]);
    await listen();
  });

  test('a path without a route is errors/resource_not_found', async () => {
    expect(await envelopeOf(await fetch(`${address}/nowhere`))).toMatchObject({ type: 'errors/resource_not_found' });
  });

  test('a path with broken percent-encoding has a request id and a log line too', async () => {
    expect(await envelopeOf(await fetch(`${address}/no%zzwhere`))).toMatchObject({
      type: 'errors/resource_not_found',
    });
    await expect.poll(() => log.filter(({ msg }) => msg === 'request')).toHaveLength(1);
  });

  test.each([
    ['bytes that are not HTTP', 'nonsense\r\n\r\n', 'HTTP/1.1 400', 'errors/malformed_request'],
    [
      'headers that are too large',
      `GET / HTTP/1.1\r\nhost: x\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`,
      'HTTP/1.1 400',
      'errors/content_too_large',
    ],
    [
      'a path that a face has an error for',
      'GET /adjusted/\x01 HTTP/1.1\r\nhost: x\r\n\r\n',
      'HTTP/1.1 503',
      'errors/no_handler',
    ],
    [
      'a path that is not ASCII',
      'GET /\x01 HTTP/1.1\r\nhost: x\r\n\r\n',
      'HTTP/1.1 400',
      'errors/unescaped_characters',
    ],
  ])('%s', async (_what, bytes, status, type) => {
    const response = await sendBytes(bytes);
    expect(response.startsWith(status)).toBe(true);
    const envelope = envelopeShape.parse(JSON.parse(response.slice(response.indexOf('\r\n\r\n'))));
    expect(envelope.type).toBe(type);
    expect(response).toContain(`x-request-id: ${envelope.instance}\r\n`);
    expect(log.find(({ reqId }) => reqId === envelope.instance)).toMatchObject({
      msg: 'request',
      status: envelope.status,
    });
  });

  test('a tunnel, also for a client that resets the connection', async () => {
    expect(await sendBytes('CONNECT x:1 HTTP/1.1\r\nhost: x\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 .*malformed_request/s);
    const socket = connect(Number(new URL(address).port), '127.0.0.1');
    socket.on('error', () => undefined);
    const [accepted] = (await once(server.server, 'connection')) as [Socket];
    const closed = new Promise((resolve) => accepted.once('close', resolve));
    server.server.once('connect', () => {
      socket.resetAndDestroy();
      // What node:net does with a reset that it meets while it writes: without a listener it ends the process.
      setImmediate(() => accepted.emit('error', new Error('reset')));
    });
    socket.write('CONNECT x:1 HTTP/1.1\r\nhost: x\r\n\r\n');
    await closed;
    expect((await fetch(`${address}/livez`)).status).toBe(200);
  });

  test('the invalid bytes of a client that never closes its side: it reads the response, and the connection is closed', async () => {
    const socket = connect({ port: Number(new URL(address).port), host: '127.0.0.1', allowHalfOpen: true });
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk) => {
      text += chunk;
    });
    // A reset says too that the connection is closed.
    socket.on('error', () => undefined);
    const [accepted] = (await once(server.server, 'connection')) as [Socket];
    const closed = once(accepted, 'close');
    socket.write('nonsense\r\n\r\n');
    await once(socket, 'end');
    await closed;
    expect(text).toContain('errors/malformed_request');
    socket.destroy();
  });
});

test('an idle connection lives as long as KEEP_ALIVE_MS says, which its responses tell', async () => {
  const own = createHttpServer({ logger: pino({ level: 'silent' }), ready: async () => undefined, keepAliveMs: 1_000 });
  own.add([{ method: 'GET', path: '/id', serve: (request) => sendJson(request, 200, {}) }]);
  const at = await own.listen({ host: '127.0.0.1', port: 0 });
  const socket = connect(Number(new URL(at).port), '127.0.0.1').setEncoding('latin1');
  const closed = once(socket, 'close');
  socket.write('GET /id HTTP/1.1\r\nhost: a\r\n\r\n');
  const [response] = await once(socket, 'data');
  expect(String(response).toLowerCase()).toContain('keep-alive: timeout=1\r\n');
  const since = performance.now();
  await closed;
  expect(performance.now() - since).toBeGreaterThan(900);
  await own.close();
  await server.listen({ host: '127.0.0.1', port: 0 });
});
