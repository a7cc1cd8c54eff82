import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { maxWaitingRequests } from '../../src/http/connections.ts';
import { createHttpServer } from '../../src/http/server.ts';
import { sendBytes } from '../support/raw-http.ts';

test('requests that a client sends ahead are served one after the other, in their order', async () => {
  let running = 0;
  let most = 0;
  const server = createHttpServer({
    logger: pino({ level: 'silent' }),
    async ready() {
      running += 1;
      most = Math.max(most, running);
      await sleep(2);
      running -= 1;
    },
  });
  const address = await server.listen({ host: '127.0.0.1', port: 0 });
  const count = 50;
  const requests = Array.from({ length: count }, (_, index) => {
    const last = index === count - 1 ? 'connection: close\r\n' : '';
    return `GET /readyz HTTP/1.1\r\nhost: x\r\nx-request-id: request-${index}\r\n${last}\r\n`;
  });
  try {
    const responses = await sendBytes(address, requests.join(''));
    const ids = [...responses.matchAll(/x-request-id: (\S+)/g)].map(([, id]) => id);
    expect(ids).toEqual(requests.map((_, index) => `request-${index}`));
    expect(most).toBe(1);
  } finally {
    await server.close();
  }
});

test('requests behind a response that nobody reads to its end are dropped with their connection', async () => {
  let served = 0;
  let respond = () => {};
  const server = createHttpServer({
    logger: pino({ level: 'silent' }),
    ready: () =>
      new Promise((resolve) => {
        served += 1;
        respond = () => resolve();
      }),
  });
  const address = await server.listen({ host: '127.0.0.1', port: 0 });
  const socket = connect(Number(new URL(address).port), '127.0.0.1');
  socket.write('GET /readyz HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(5));
  try {
    await expect.poll(() => served).toBe(1);
    socket.destroy();
    await sleep(50);
    respond();
    await sleep(50);
    expect(served).toBe(1);
  } finally {
    await server.close();
  }
});

const chunked = (bytes: number) =>
  `transfer-encoding: chunked\r\n\r\n${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n0\r\n\r\n`;
const length = (bytes: number) => `content-length: ${bytes}\r\n\r\n${'x'.repeat(bytes)}`;

test.each([
  ['more bytes than may wait', Array.from({ length: 4 }, () => length(30_000)), 2],
  ['three of unknown length', Array.from({ length: 3 }, () => chunked(1)), 3],
  ['one of unknown length between others', [length(10), chunked(1), length(10)], 3],
  ['large ones of unknown length', Array.from({ length: 4 }, () => chunked(40_000)), 2],
  ['one of a megabyte', [length(1_000_000)], 1],
  ['one of a megabyte behind others', [length(10), length(1_000_000), length(10)], 1],
  ['many small ones', Array.from({ length: 90 }, () => length(600)), 90],
  ['too many', Array.from({ length: maxWaitingRequests + 10 }, () => length(0)), maxWaitingRequests],
])('bodies of requests that wait: %s', async (_what, bodies, served) => {
  const { promise: responding, resolve: respond } = Promise.withResolvers<void>();
  const log: string[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => void log.push(line) });
  const server = createHttpServer({ logger, ready: () => responding });
  let received = 0;
  server.add([
    {
      method: 'POST',
      path: '/bodies',
      async serve(request) {
        await request.body();
        received += 1;
        request.send(204, {});
      },
    },
  ]);
  const address = await server.listen({ host: '127.0.0.1', port: 0 });
  const socket = connect(Number(new URL(address).port), '127.0.0.1');
  const closed = new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve));
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk;
  });
  const statuses = () => [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status);
  try {
    socket.write('GET /readyz HTTP/1.1\r\nhost: x\r\n\r\n');
    for (const body of bodies) socket.write(`POST /bodies HTTP/1.1\r\nhost: x\r\n${body}`);
    await sleep(100);
    expect(socket.closed).toBe(false);
    respond();
    await expect.poll(() => received).toBe(served);
    // What is refused is the last, and destroys nothing before it.
    if (served < bodies.length) {
      await closed;
      expect(log.join('')).toContain('Too many requests wait');
    } else await expect.poll(() => statuses().length).toBe(1 + served);
    const refused = served < bodies.length ? ['503'] : [];
    expect(statuses()).toEqual(['200', ...Array.from({ length: served }, () => '204'), ...refused]);
  } finally {
    socket.destroy();
    await server.close();
  }
});

test('nothing is made of the requests behind the one too many', async () => {
  const { promise: responding, resolve: respond } = Promise.withResolvers<void>();
  const server = createHttpServer({ logger: pino({ level: 'silent' }), ready: () => responding });
  const address = await server.listen({ host: '127.0.0.1', port: 0 });
  let made = 0;
  server.server.on('request', () => {
    made += 1;
  });
  const body = 'x'.repeat(100);
  const requests = [
    'GET /readyz HTTP/1.1\r\nhost: x\r\n\r\n',
    `POST /readyz HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    'GET /readyz HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
    'CONNECT x:1 HTTP/1.1\r\nhost: x\r\n\r\n',
  ];
  try {
    const responses = sendBytes(address, requests[0]?.repeat(200) + requests.join('').repeat(200));
    await expect.poll(() => made).toBe(maxWaitingRequests + 2);
    respond();
    const statuses = [...(await responses).matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status);
    expect(statuses).toEqual([...Array.from({ length: maxWaitingRequests + 1 }, () => '200'), '503']);
    expect(made).toBe(maxWaitingRequests + 2);
  } finally {
    await server.close();
  }
});

test('a client that goes on behind the one too many is cut off', async () => {
  const server = createHttpServer({ logger: pino({ level: 'silent' }), ready: () => new Promise(() => undefined) });
  const address = await server.listen({ host: '127.0.0.1', port: 0 });
  const socket = connect(Number(new URL(address).port), '127.0.0.1');
  const closed = new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve));
  try {
    // Bodies of none: node:http reads on.
    const request = 'GET /readyz HTTP/1.1\r\nhost: x\r\n\r\n';
    const writing = setInterval(() => socket.write(request.repeat(1_000)), 5);
    await closed;
    clearInterval(writing);
  } finally {
    socket.destroy();
    await server.close();
  }
});

test.each([
  ['bytes that are no request', 'GET /readyz HTTP/1.1\r\nhost: x\r\n\r\n', ['200 OK', '400 Bad Request']],
  ['anything after the last request', 'GET /readyz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n', ['200 OK']],
])('%s do not take the place of the response before', async (_what, request, statuses) => {
  const server = createHttpServer({ logger: pino({ level: 'silent' }), ready: () => sleep(20) });
  const address = await server.listen({ host: '127.0.0.1', port: 0 });
  try {
    const responses = await sendBytes(address, `${request}garbage\r\n\r\nmore of it\r\n\r\n`);
    expect([...responses.matchAll(/HTTP\/1\.1 (.+)\r/g)].map(([, status]) => status)).toEqual(statuses);
  } finally {
    await server.close();
  }
});
