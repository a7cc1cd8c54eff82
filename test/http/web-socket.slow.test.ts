/** WebSockets whose clients do not read: what waits for them is bounded as what waits of responses. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { WaitingLimits } from '../../src/http/connections.ts';
import { bodyLimits } from '../../src/http/request-bodies.ts';
import { createHttpServer, type HttpServer } from '../../src/http/server.ts';
import type { SocketConnection } from '../../src/http/web-socket.ts';

const mebibyte = 1_024 * 1_024;
/** More than the network takes for a client that does not read. */
const message = 'é'.repeat(6 * mebibyte);

let server: HttpServer;
const clients: WebSocket[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.terminate();
  await server.close();
});

async function serve(waiting: WaitingLimits) {
  server = createHttpServer({ logger: pino({ level: 'silent' }), ready: async () => undefined, waiting });
  const opened: SocketConnection[] = [];
  server.addSocket({ path: '/graphql', protocol: 'x', origins: [] }, async () => (each) => {
    opened.push(each);
    each.onMessage((text) => {
      each.send(text ?? '');
      return null;
    });
  });
  const accepted: Socket[] = [];
  server.server.on('connection', (socket: Socket) => accepted.push(socket));
  const address = await server.listen({ host: '127.0.0.1', port: 0 });
  /** Connects a client that reads nothing so far. */
  return async () => {
    const client = new WebSocket(`${address.replace('http', 'ws')}/graphql`, 'x');
    clients.push(client);
    await once(client, 'open');
    await expect.poll(() => opened.length).toBe(clients.length);
    // @ts-expect-error what is below the protocol
    const socket: Socket = client._socket;
    socket.pause();
    return { client, socket, connection: opened.at(-1) as SocketConnection, ours: accepted.at(-1) as Socket };
  };
}

/** Sends a message that nobody reads so far. */
async function serveMessage(waiting: WaitingLimits) {
  const connect = await serve(waiting);
  return async () => {
    const connected = await connect();
    return { ...connected, sent: connected.connection.send(message) };
  };
}

test('a lost connection is told before the messages that have arrived', async () => {
  server = createHttpServer({ logger: pino({ level: 'silent' }), ready: async () => undefined });
  let ours: Socket | undefined;
  let heard = 0;
  const lost = new Promise<number>((resolve) => {
    server.addSocket({ path: '/graphql', protocol: 'x', origins: [] }, async () => (connection) => {
      connection.onMessage(() => {
        heard += 1;
        ours?.destroy();
        return null;
      });
      connection.onClose(() => resolve(heard));
    });
  });
  server.server.on('connection', (socket: Socket) => {
    ours = socket;
  });
  const address = await server.listen({ host: '127.0.0.1', port: 0 });
  const client = new WebSocket(`${address.replace('http', 'ws')}/graphql`, 'x');
  clients.push(client);
  await once(client, 'open');
  // @ts-expect-error what is below the protocol
  const socket: Socket = client._socket;
  socket.cork();
  for (let at = 0; at < 500; at += 1) client.send('x');
  socket.uncork();
  expect(await lost).toBeLessThan(10);
});

const patient: WaitingLimits = { maxBytes: 1e9, idleBytes: 1e9, idleMs: 60_000, stallMs: 60_000 };

test('a client that reads nothing is cut off, one that reads slowly is not', async () => {
  const connect = await serveMessage({ ...patient, stallMs: 1_000 });
  const slow = await connect();
  const received = once(slow.client, 'message');
  let isReading = true;
  const reading = (async () => {
    while (isReading) {
      slow.socket.resume();
      await sleep(1);
      slow.socket.pause();
      await sleep(30);
    }
    slow.socket.resume();
  })();
  const idle = await connect();
  await once(idle.ours, 'close');
  expect(await idle.sent).toBe(false);
  expect(slow.ours.destroyed).toBe(false);
  isReading = false;
  await reading;
  expect(String((await received)[0])).toHaveLength(message.length);
  expect(await slow.sent).toBe(true);
});

test('beyond the bytes that may wait, those are cut off that have waited longest', async () => {
  const connect = await serveMessage({ ...patient, maxBytes: 2.5 * Buffer.byteLength(message) });
  const made = [await connect(), await connect(), await connect(), await connect()];
  expect(made.map(({ ours }) => ours.destroyed)).toEqual([true, true, false, false]);
});

test('what a client sends that reads nothing is left unread', { timeout: 60_000 }, async () => {
  const connect = await serve(patient);
  const { client, socket, ours } = await connect();
  let answers = 0;
  client.on('message', () => {
    answers += 1;
  });
  const [bytes, count] = [16_000, 4_000];
  for (let sent = 0; sent < count; sent += 1) client.send('x'.repeat(bytes));

  let [read, before, most] = [0, -1, 0];
  while (read > before) {
    before = read;
    await sleep(1_000);
    most = Math.max(most, ours.writableLength);
    read = ours.bytesRead;
  }
  expect(read).toBeLessThan(bytes * count);
  expect(most).toBeLessThan(mebibyte);

  socket.resume();
  await expect.poll(() => answers).toBe(count);
});

/** A text frame of the length, masked with zeros (RFC 6455, section 5.2), without the last of its bytes. */
const unfinished = (bytes: number): Buffer => {
  const frame = Buffer.alloc(14 + bytes - 1, 'x');
  frame.set([0x81, 0xff, 0, 0, 0, 0], 0);
  frame.writeUInt32BE(bytes, 6);
  frame.fill(0, 10, 14);
  return frame;
};

test('messages that do not end have the memory of request bodies together, and those beyond end their connections', async () => {
  const connect = await serve(patient);
  const length = 1_000_000;
  const codes: number[] = [];
  const begin = async () => {
    const { client, socket, connection } = await connect();
    client.once('close', (code) => codes.push(code));
    socket.resume();
    connection.acceptLargeMessages();
    socket.write(unfinished(length));
    return { client, socket };
  };
  const most = Math.floor(bodyLimits.bytes / length);
  for (let n = 0; n < most + 8; n += 1) await begin();
  await expect.poll(() => codes).toEqual(Array.from({ length: 8 }, () => 1013));
  const last = await begin();
  last.socket.write('x');
  const [whole] = await once(last.client, 'message');
  expect(whole).toHaveLength(length);
});

test('what stands between the parts of a message counts with it, and ends the connection', async () => {
  const connect = await serve(patient);
  const { client, socket, connection, ours } = await connect();
  socket.resume();
  connection.acceptLargeMessages();
  client.send('x', { fin: false });
  for (let n = 0; n < 500; n += 1) client.pong(Buffer.alloc(125));
  await sleep(100);
  expect(ours.destroyed).toBe(false);
  const pongs = setInterval(() => {
    for (let n = 0; n < 1_000; n += 1) client.pong(Buffer.alloc(125));
  }, 20);
  await once(client, 'close');
  clearInterval(pongs);
  expect(ours.bytesRead).toBeLessThan(4 * mebibyte);
});

test('pongs between messages do not add up', { timeout: 30_000 }, async () => {
  const connect = await serve(patient);
  const { client, socket, connection, ours } = await connect();
  socket.resume();
  connection.acceptLargeMessages();
  while (ours.bytesRead < 3 * mebibyte) {
    for (let n = 0; n < 1_000; n += 1) client.pong(Buffer.alloc(125));
    await sleep(5);
  }
  client.send('still here');
  const [answer] = await once(client, 'message');
  expect(String(answer)).toBe('still here');
});
