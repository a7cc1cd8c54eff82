/** Exchanges with a service over real connections: what comes back of every response, whole or broken. */
import { createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openServicePool, type ServiceRequest } from '../../src/net/service-pool.ts';
import { failedBeforeSending, unreadableResponse } from '../../src/net/transport-failure.ts';

/** A service that sends bytes as the test says, on one connection at a time. */
async function setUp(respond: (socket: Socket, request: string) => void, maxBytes = 1_000) {
  const received: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      received.push(bytes.toString());
      respond(socket, bytes.toString());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const pool = openServicePool(`http://127.0.0.1:${port}`, { connections: 1, maxBytes, connectTimeoutMs: 2_000 });
  onTestFinished(async () => {
    await pool.close();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const send = (request: Partial<ServiceRequest> = {}) =>
    pool.send({
      method: 'GET',
      path: '/a',
      headers: {},
      body: null,
      signal: new AbortController().signal,
      ...request,
    });
  return { pool, server, received, sockets, send };
}

const text = (body: readonly Uint8Array[]): string => Buffer.concat(body).toString();
const ok = (body: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

test('a request is sent as it is, and its response comes with lower-case headers and its bytes', async () => {
  const { received, send } = await setUp((socket) => void socket.write(ok('thanks').replace('length', 'LENGTH')));
  const response = await send({ method: 'POST', path: '/in?a=1', headers: { 'x-test': 'yes' }, body: '{"ü":1}' });
  expect(response).toMatchObject({ kind: 'whole', status: 200, headers: { 'content-length': '6' } });
  expect(response.kind === 'whole' && text(response.body)).toBe('thanks');
  expect(received.join('')).toMatch(
    /^POST \/in\?a=1 HTTP\/1\.1\r\n(?:.*\r\n)*x-test: yes\r\n(?:.*\r\n)*\r\n\{"ü":1\}$/,
  );
});

test('informational responses are passed over, and trailers left out', async () => {
  const { send } = await setUp(
    (socket) =>
      void socket.write(
        'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\nHTTP/1.1 418 No\r\nx-a: 1\r\ntransfer-encoding: chunked\r\ntrailer: x-b\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\nx-b: 2\r\n\r\n',
      ),
  );
  const response = await send();
  expect(response).toMatchObject({ kind: 'whole', status: 418 });
  expect(
    response.kind === 'whole' && [response.headers['x-a'], response.headers['x-b'], response.headers.link],
  ).toEqual(['1', undefined, undefined]);
  expect(response.kind === 'whole' && text(response.body)).toBe('abcde');
});

test.each([
  ['a length', ok('x'.repeat(1_001)).replace('200 OK', '502 Bad')],
  ['chunks', `HTTP/1.1 502 Bad\r\ntransfer-encoding: chunked\r\n\r\n3e9\r\n${'x'.repeat(1_001)}\r\n0\r\n\r\n`],
  ['no length', `HTTP/1.1 502 Bad\r\nconnection: close\r\n\r\n${'x'.repeat(1_001)}`],
])('a body with %s that is too large breaks off with its status', async (_what, bytes) => {
  const { send, sockets } = await setUp((socket) => void socket.write(bytes));
  const response = await send();
  expect(response).toMatchObject({ kind: 'broken', status: 502 });
  expect(response.kind === 'broken' && unreadableResponse(response.cause)).toBe('too_large');
  await vi.waitFor(() => expect(sockets.size).toBe(0));
});

test('a body of the largest size is whole', async () => {
  const { send } = await setUp((socket) => void socket.write(ok('x'.repeat(1_000))));
  const response = await send();
  expect(response.kind === 'whole' && text(response.body)).toHaveLength(1_000);
});

test.each([
  ['before it began', '', null],
  ['in its headers', 'HTTP/1.1 200 OK\r\ncontent-le', null],
  ['in its body', ok('abc').slice(0, -1), 200],
  ['in a chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nab', 200],
])('a response that breaks off %s says how far it came', async (_what, bytes, status) => {
  const { send } = await setUp((socket) => void socket.end(bytes));
  const response = await send({ method: 'POST' });
  expect(response).toMatchObject({ kind: 'broken', status });
  expect(
    response.kind === 'broken' && [unreadableResponse(response.cause), failedBeforeSending(response.cause)],
  ).toEqual([null, false]);
});

test('a response that is not HTTP is distinguished from a broken connection', async () => {
  const { send } = await setUp((socket) => void socket.end('SSH-2.0-OpenSSH\r\n\r\n'));
  const response = await send();
  expect(response).toMatchObject({ kind: 'broken', status: null });
  expect(response.kind === 'broken' && unreadableResponse(response.cause)).toBe('not_http');
});

test('a service that cannot be reached was sent nothing', async () => {
  const { server, send } = await setUp(() => {});
  await new Promise((resolve) => server.close(resolve));
  const response = await send();
  expect(response.kind === 'broken' && failedBeforeSending(response.cause)).toBe(true);
});

test('a request ends with its signal, whatever has arrived by then', async () => {
  const { send, sockets, received } = await setUp((socket, request) => {
    if (request.startsWith('GET /half')) socket.write(ok('abc').slice(0, -1));
  });
  for (const [path, status] of [
    ['/none', null],
    ['/half', 200],
  ] as const) {
    const gone = new AbortController();
    const sent = send({ path, signal: gone.signal });
    await vi.waitFor(() => expect(received.at(-1)).toContain(`GET ${path} `));
    // The response is on its way, or not.
    await new Promise((resolve) => setTimeout(resolve, 20));
    const reason = new Error('gone');
    gone.abort(reason);
    expect(await sent).toEqual({ kind: 'broken', status, cause: reason });
    await vi.waitFor(() => expect(sockets.size).toBe(0));
  }
});

test('a request whose signal aborts while it waits for a connection ends at once, and is never sent', async () => {
  const held: Socket[] = [];
  const { send, received } = await setUp((socket) => void held.push(socket));
  const first = send({ path: '/first' });
  await vi.waitFor(() => expect(held).toHaveLength(1));
  const gone = new AbortController();
  const second = send({ path: '/second', signal: gone.signal });
  const third = send({ path: '/third', signal: AbortSignal.abort('never') });
  gone.abort('left');
  expect(await second).toEqual({ kind: 'broken', status: null, cause: 'left' });
  expect(await third).toEqual({ kind: 'broken', status: null, cause: 'never' });
  held[0]?.write(ok('1'));
  expect(await first).toMatchObject({ kind: 'whole' });
  const fourth = send({ path: '/fourth' });
  await vi.waitFor(() => expect(held).toHaveLength(2));
  held[1]?.write(ok('4'));
  expect(await fourth).toMatchObject({ kind: 'whole' });
  expect(received.map((request) => request.split(' ')[1])).toEqual(['/first', '/fourth']);
});

test('a closed pool sends nothing', async () => {
  const { pool, send, received } = await setUp(() => {});
  await pool.close();
  expect(await send()).toMatchObject({ kind: 'broken', status: null });
  expect(received).toEqual([]);
});
