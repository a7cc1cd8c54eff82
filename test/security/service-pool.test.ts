/** Exchanges with a service over real connections: what comes back of every response, whole or broken. */
import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { type Body, createBodyMemory } from '../../src/net/body-memory.ts';
import { openServicePool, type ServiceRequest } from '../../src/net/service-pool.ts';
import { failedBeforeSending, unreadableResponse } from '../../src/net/transport-failure.ts';

/** A service that sends bytes as the test says. Memory that is free again is overwritten, and all of it is free at the end. */
async function setUp(respond: (socket: Socket, request: string) => void, { maxBytes = 1_000, connections = 1 } = {}) {
  const received: string[] = [];
  const sockets = new Set<Socket>();
  // Parts are sent at once: otherwise they would wait for each other, and arrive together.
  const server = createServer({ noDelay: true }, (socket) => {
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
  const memory = createBodyMemory((slab) => slab.fill(0x21));
  const pool = openServicePool(`http://127.0.0.1:${port}`, { connections, maxBytes, connectTimeoutMs: 2_000, memory });
  const unreleased = new Set<Body>();
  onTestFinished(async () => {
    await pool.close();
    for (const body of unreleased) body.release();
    expect(memory.taken).toBe(0);
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const send = async (request: Partial<ServiceRequest> = {}) => {
    const signal = new AbortController().signal;
    const response = await pool.send({ method: 'GET', path: '/a', headers: {}, body: null, signal, ...request });
    if (response.kind === 'whole') unreleased.add(response.body);
    return response;
  };
  return { pool, server, received, sockets, memory, unreleased, send };
}

const text = (body: readonly Uint8Array[]): string => Buffer.concat(body).toString();
const ok = (body: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

test('a request is sent as it is, and its response comes with lower-case headers and its bytes', async () => {
  const { received, send } = await setUp((socket) => void socket.write(ok('thanks').replace('length', 'LENGTH')));
  const response = await send({ method: 'POST', path: '/in?a=1', headers: { 'x-test': 'yes' }, body: '{"ü":1}' });
  expect(response).toMatchObject({ kind: 'whole', status: 200, headers: { 'content-length': '6' } });
  expect(response.kind === 'whole' && text(response.body.chunks)).toBe('thanks');
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
  expect(response.kind === 'whole' && text(response.body.chunks)).toBe('abcde');
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
  await expect.poll(() => sockets.size).toBe(0);
});

test('a body of the largest size is whole', async () => {
  const { send } = await setUp((socket) => void socket.write(ok('x'.repeat(1_000))));
  const response = await send();
  expect(response.kind === 'whole' && text(response.body.chunks)).toHaveLength(1_000);
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
    await expect.poll(() => received.at(-1)).toContain(`GET ${path} `);
    // The response is on its way, or not.
    await new Promise((resolve) => setTimeout(resolve, 20));
    const reason = new Error('gone');
    gone.abort(reason);
    expect(await sent).toEqual({ kind: 'broken', status, cause: reason });
    await expect.poll(() => sockets.size).toBe(0);
  }
});

test('a request that is ended while it waits for a connection ends at once, and is never sent', async () => {
  const held: Socket[] = [];
  const { send, received } = await setUp((socket) => void held.push(socket));
  const first = send({ path: '/first' });
  await expect.poll(() => held).toHaveLength(1);
  const gone = new AbortController();
  const second = send({ path: '/second', signal: gone.signal });
  const third = send({ path: '/third', signal: AbortSignal.abort('never') });
  gone.abort('left');
  expect(await second).toEqual({ kind: 'broken', status: null, cause: 'left' });
  expect(await third).toEqual({ kind: 'broken', status: null, cause: 'never' });
  held[0]?.write(ok('1'));
  expect(await first).toMatchObject({ kind: 'whole' });
  const fourth = send({ path: '/fourth' });
  await expect.poll(() => held).toHaveLength(2);
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

/** Writes bytes in parts, each of which the other side reads before the next is sent. */
async function writeInParts(socket: Socket, parts: readonly string[]): Promise<void> {
  for (const part of parts) {
    socket.write(part);
    await sleep(2);
  }
}

test.each([
  ['with a length', (body: string) => ok(body).replace('\r\n\r\n', '\r\nx-last: of the headers\r\n\r\n')],
  [
    'in chunks, with trailers',
    (body: string) =>
      `HTTP/1.1 103 Early\r\nx-hint: 1\r\n\r\nHTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\nx-last: of the headers\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n3\r\nend\r\n0\r\nx-trailer: 1\r\nx-trailer-of-trailers: 2\r\n\r\n`,
  ],
])(
  'a response %s is the same wherever its reads are cut, beside others that are cut elsewhere',
  async (what, respond) => {
    // A read of one or two bytes may be a part of a header.
    const widths = [1, 2, 9];
    const bodyOf = (path: string) => `${path} `.repeat(8);
    const { send } = await setUp(
      (socket, request) => {
        const [, path = ''] = request.split(' ');
        const bytes = respond(bodyOf(path));
        const [cut = 0, width = 0] = path.slice(1).split('-').map(Number);
        void writeInParts(socket, [bytes.slice(0, cut), bytes.slice(cut, cut + width), bytes.slice(cut + width)]);
      },
      { connections: 16 },
    );
    const { length } = respond(bodyOf('/100-9'));
    const cuts = Array.from({ length: length - 1 }, (_, before) => before + 1);
    await Promise.all(
      cuts
        .flatMap((cut) => widths.map((width) => `/${cut}-${width}`))
        .map(async (path) => {
          const response = await send({ path });
          expect(response, path).toMatchObject({ kind: 'whole', status: 200 });
          if (response.kind !== 'whole') return;
          expect(response.headers['x-last']).toBe('of the headers');
          const expected = bodyOf(path) + (what.includes('chunks') ? 'end' : '');
          expect(text(response.body.chunks)).toBe(expected);
        }),
    );
  },
);

test('memory is used again once nobody uses a body, and a body that nobody uses cannot be read', async () => {
  const { send, memory, unreleased } = await setUp(
    (socket, request) => void socket.write(ok((request[5] ?? '').repeat(200_000))),
    {
      maxBytes: 300_000,
    },
  );
  const whole = async (path: string) => {
    const response = await send({ path });
    if (response.kind !== 'whole') throw new Error('The response is broken');
    return response.body;
  };
  const first = await whole('/a');
  expect(memory.taken).toBe(4);
  first.retain();
  first.release();
  expect(text(first.chunks)).toHaveLength(200_000);
  const kept = first.chunks;
  first.release();
  unreleased.delete(first);
  expect(memory.taken).toBe(0);
  for (const use of [() => first.chunks, () => first.retain(), () => first.release()]) {
    expect(use).toThrow('The body has been released');
  }
  expect(new Set(text(kept))).toEqual(new Set('!'));
  const second = await whole('/b');
  expect(memory.taken).toBe(4);
  expect(new Set(text(second.chunks))).toEqual(new Set('b'));
  expect(kept.every((chunk) => second.chunks.some(({ buffer }) => buffer === chunk.buffer))).toBe(true);
});
