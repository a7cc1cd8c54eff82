/** Clients that do not read their responses: what waits for them is bounded in bytes and in time. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import type { WaitingLimits } from '../../src/http/connections.ts';
import type { IncomingRequest } from '../../src/http/incoming-request.ts';
import { sendBody } from '../../src/http/send.ts';
import { createHttpServer, type HttpServer } from '../../src/http/server.ts';

const mebibyte = 1_024 * 1_024;
/** More than the network takes for a client that does not read. */
const responseBytes = 12 * mebibyte;
/** Two bytes a character. */
const text = 'é'.repeat(responseBytes / 2);

let server: HttpServer;
const clients: Socket[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await server.close();
});

async function serve(waiting: WaitingLimits) {
  server = createHttpServer({ logger: pino({ level: 'silent' }), ready: async () => undefined, waiting });
  const routes: Record<string, (request: IncomingRequest) => void> = {
    '/sent': (request) => sendBody(request, 200, 'text/plain', text),
    '/ended': ({ response }) => void response.end(Buffer.from(text)),
    '/stream': ({ response }) => void response.write(text),
    // As Yoga does: the end follows when the client has read.
    '/written': ({ response }) => {
      response.once('drain', () => response.end());
      response.write(text);
    },
  };
  server.add(Object.entries(routes).map(([path, serve]) => ({ method: 'GET', path, serve })));
  const accepted: Socket[] = [];
  server.server.on('connection', (socket: Socket) => accepted.push(socket));
  const address = await server.listen({ host: '127.0.0.1', port: 0 });
  /** Sends a request, and waits until its response waits. @returns the connection on both sides */
  const ask = async (path: string) => {
    const client = connect(Number(new URL(address).port), '127.0.0.1').on('error', () => undefined);
    clients.push(client.pause());
    const before = accepted.length;
    client.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    await expect.poll(() => accepted[before]?.writableLength ?? 0).toBeGreaterThan(mebibyte);
    return { client, ours: accepted[before] as Socket };
  };
  return { ask };
}

/** Limits that no test reaches. */
const patient: WaitingLimits = { maxBytes: 1e9, idleBytes: 1e9, idleMs: 60_000, stallMs: 60_000 };

const paths = ['/sent', '/ended', '/written'];

test.each(paths)(
  '%s: beyond the bytes that may wait, the responses that have waited longest are cut off',
  async (path) => {
    const { ask } = await serve({ ...patient, maxBytes: 2.5 * responseBytes });
    const asked = [];
    for (let count = 0; count < 5; count += 1) asked.push(await ask(path));
    expect(asked.map(({ ours }) => ours.destroyed)).toEqual([true, true, true, false, false]);
    // Texts wait as bytes: as many as they have.
    for (const { ours } of asked.slice(3)) expect(ours.writableLength).toBeGreaterThanOrEqual(responseBytes);

    let read = 0;
    for await (const chunk of asked.at(-1)?.client ?? []) read += chunk.length;
    expect(read).toBeGreaterThan(responseBytes);
  },
);

test('a stream whose client has caught up is not cut off for others that wait', async () => {
  const { ask } = await serve({ ...patient, maxBytes: 1.5 * responseBytes });
  const stream = await ask('/stream');
  let read = 0;
  stream.client.on('data', ({ length }: Buffer) => {
    read += length;
  });
  stream.client.resume();
  await expect.poll(() => read).toBeGreaterThan(responseBytes);
  await expect.poll(() => stream.ours.writableLength).toBe(0);
  const asked = [await ask('/ended'), await ask('/ended'), await ask('/ended')];
  expect(asked.map(({ ours }) => ours.destroyed)).toEqual([true, true, false]);
  expect(stream.ours.destroyed).toBe(false);
});

test.each(paths)('%s: one response may be larger than all that may wait', async (path) => {
  const { ask } = await serve({ ...patient, maxBytes: 1 });
  expect((await ask(path)).ours.destroyed).toBe(false);
});

test.each(paths)('%s: a client that reads nothing is cut off, one that reads slowly is not', async (path) => {
  const { ask } = await serve({ ...patient, stallMs: 1_000 });
  const slow = await ask(path);
  let read = 0;
  let pauseMs = 30;
  const reading = (async () => {
    for await (const chunk of slow.client) {
      read += chunk.length;
      await sleep(pauseMs);
    }
  })();
  const { ours } = await ask(path);
  await once(ours, 'close');
  pauseMs = 0;
  expect(read).toBeLessThan(responseBytes);
  await reading;
  expect(read).toBeGreaterThan(responseBytes);
});

/** Reads on, a piece at a time. @returns what was read so far */
function readSlowly(client: Socket, pauseMs: number) {
  const seen = { bytes: 0, ended: false };
  const reading = (async () => {
    for await (const chunk of client) {
      seen.bytes += chunk.length;
      await sleep(pauseMs);
    }
    seen.ended = true;
  })();
  return { seen, reading };
}

test.each([
  ['at once, beyond all that may wait', { ...patient, maxBytes: 2.5 * responseBytes }],
  ['after a while, beyond what may wait so long', { ...patient, idleBytes: 2.5 * responseBytes, idleMs: 2_000 }],
])(
  'of many that wait, those are cut off %s whose clients read nothing, and never one that reads',
  async (_when, limits) => {
    const { ask } = await serve(limits);
    const slow = await ask('/ended');
    const { seen, reading } = readSlowly(slow.client, 15);
    // It goes on to read after the buffers between are full.
    await sleep(1_500);
    const idle: Awaited<ReturnType<typeof ask>>[] = [];
    for (let count = 0; count < 5; count += 1) idle.push(await ask('/ended'));
    await expect.poll(() => idle.filter(({ ours }) => ours.destroyed).length).toBeGreaterThanOrEqual(3);
    await reading;
    expect(seen).toMatchObject({ ended: true });
    expect(seen.bytes).toBeGreaterThan(responseBytes);
  },
);
