/** No door lacks a gate that another one has: each cell of the table is tried on a whole gateway. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { secretOf } from '../../src/app/intake/open.ts';
import { fetchFrom } from '../../src/http/in-memory.ts';
import { maxBodyBytes } from '../../src/http/request-bodies.ts';
import { maxHeadersLength } from '../../src/http/request-head.ts';
import type { FairTurns } from '../../src/kernel/lib/fair-turns.ts';
import type { Places } from '../../src/kernel/places.ts';
import { deriveKeys } from '../../src/kernel/secrets/secret.ts';
import type { Served } from '../support/backends.ts';
import { type GatedDoor, gatedDoors, gates } from '../support/door-gates.ts';
import type { Fronting } from '../support/fronting.ts';
import { testSecret } from '../support/webhooks.ts';

const modules = {
  turns: '../../src/kernel/lib/fair-turns.ts',
  places: '../../src/kernel/places.ts',
  connections: '../../src/http/connections.ts',
} as const;

/** Pieces that asked for a turn. */
const taken: { readonly owner: string; readonly weight: number }[] = [];
/** Places that were asked for. */
const placed: { readonly caller: string; readonly kind: string; isLeft: boolean }[] = [];
const stallMs = 1_500;

let start: (environment?: Readonly<Record<string, string>>) => Promise<typeof served>;
let served: Served & { readonly server: Server };
let key: string;
let front: (environment?: Readonly<Record<string, string>>) => Promise<Fronting>;
let fronting: Fronting;
beforeAll(async () => {
  vi.resetModules();
  vi.doMock(modules.turns, async (original) => {
    const actual = (await original()) as typeof import('../../src/kernel/lib/fair-turns.ts');
    const createFairTurns = () => {
      const turns = actual.createFairTurns();
      const take: FairTurns['take'] = (owner, weight, waiter) => {
        taken.push({ owner, weight });
        return turns.take(owner, weight, waiter);
      };
      return new Proxy(turns, { get: (of, name) => (name === 'take' ? take : Reflect.get(of, name, of)) });
    };
    return { ...actual, createFairTurns };
  });
  vi.doMock(modules.places, async (original) => {
    const actual = (await original()) as typeof import('../../src/kernel/places.ts');
    const createPlaces = (...options: Parameters<typeof actual.createPlaces>): Places => {
      const places = actual.createPlaces(...options);
      return {
        async take(caller, kind, signal) {
          const place = { caller, kind, isLeft: false };
          placed.push(place);
          const leave = await places.take(caller, kind, signal);
          return () => {
            place.isLeft = true;
            leave();
          };
        },
      };
    };
    return { ...actual, createPlaces };
  });
  vi.doMock(modules.connections, async (original) => {
    const actual = (await original()) as typeof import('../../src/http/connections.ts');
    return { ...actual, waitingLimits: { ...actual.waitingLimits, stallMs } };
  });
  const { startGateway } = await import('../support/gateway.ts');
  const { seeded } = await import('../support/backends.ts');
  front = (await import('../support/fronting.ts')).startFronting;
  start = async (environment = {}) => {
    const gateway = await startGateway({ environment });
    return { ...gateway, ...seeded(gateway, gateway.address), server: gateway.app.server.server };
  };
  [served, fronting] = [await start(), await front()];
  const workspace = await served.workspace();
  key = workspace.key;
  const data = JSON.stringify(Array.from({ length: 250 }, () => ({ name: 'x'.repeat(3_500), key: 'chat_id' })));
  for (let at = 0; at < 15; at += 1) await workspace.webhook({ data, enabled: 0 });
});
afterAll(async () => {
  await served.close();
  await fronting.close();
  for (const module of Object.values(modules)) vi.doUnmock(module);
  vi.resetModules();
});

const viewer = '{ viewer { __typename } }';
const large = '{ webhooks(first: 15) { nodes { data { name key } } } }';

interface Asked {
  readonly address?: string;
  readonly server?: Server;
  readonly key?: string;
  /** In place of what is valid. */
  readonly raw?: string;
  readonly query?: string;
}

const intakeSecret = secretOf(deriveKeys(testSecret)('intake'));
const event = JSON.stringify({ account_id: 'a', message: 'x' });

const inUrl = (parameters: Readonly<Record<string, string>>) => `?${new URLSearchParams(parameters)}`;

/** A request as bytes. @param raw the body, or the variables in a URL */
function bytesFor(
  { way, path, accept }: GatedDoor,
  { raw, query = viewer, key: sent = key }: Asked,
  isLast = true,
): string {
  const isREST = path.startsWith('/v1');
  const credentials = way === 'intake' ? `x-postern-intake: ${intakeSecret}` : `x-api-key: ${sent}`;
  const head = `host: x\r\n${credentials}\r\naccept: ${accept}\r\n${isLast ? 'connection: close\r\n' : ''}`;
  if (way === 'GET') {
    const more = isREST
      ? raw === undefined
        ? ''
        : `&x=${raw}`
      : inUrl({ query, ...(raw === undefined ? {} : { variables: raw }) });
    return `GET ${path}${more} HTTP/1.1\r\n${head}\r\n`;
  }
  const body = raw ?? (way === 'intake' ? event : isREST ? '{}' : JSON.stringify({ query }));
  return `POST ${path} HTTP/1.1\r\n${head}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** A request of a program that has the gateway in it. */
const inMemory = (
  { path, accept }: GatedDoor,
  { server = served.server, raw, query = viewer, key: sent = key }: Asked,
): Promise<Response> =>
  fetchFrom(server)(path, {
    method: 'POST',
    headers: { 'x-api-key': sent, accept, 'content-type': 'application/json' },
    body: raw ?? JSON.stringify({ query }),
  });

const addressOf = ({ way }: GatedDoor) => (way === 'intake' ? fronting.publicUrl : served.address);

/** What the door says to bytes, in its own way: the response, or the code of the close frame. */
async function ask(door: GatedDoor, asked: Asked): Promise<string | number> {
  const { address = addressOf(door), raw, query = viewer, key: sent = key } = asked;
  if (door.way === 'memory') return (await inMemory(door, asked)).text();
  if (door.way !== 'WebSocket' && door.way !== 'ping') {
    const { sendBytes } = await import('../support/raw-http.ts');
    return sendBytes(address, bytesFor(door, asked));
  }
  const { openSocket } = await import('../support/web-socket.ts');
  const client = await openSocket(address, { init: { 'x-api-key': sent } });
  if (raw !== undefined) client.say(raw);
  else if (door.way === 'ping') client.say({ type: 'ping' });
  else client.say({ type: 'subscribe', id: '1', payload: { query } });
  const told =
    raw === undefined ? client.next(door.way === 'ping' ? undefined : '1') : new Promise<never>(() => undefined);
  const came = await Promise.race([
    client.closed.then(([code]) => code),
    told.then((message) => JSON.stringify(message)),
  ]);
  client.socket.terminate();
  return came;
}

const expectRefusal = (came: string | number, refusal: unknown) =>
  typeof refusal === 'number' ? expect(came).toBe(refusal) : expect(String(came)).toMatch(refusal as RegExp);

const tries: Readonly<Record<(typeof gates)[number], (door: GatedDoor, refusal: unknown) => Promise<void>>> = {
  /** Work that takes long waits for its turn, as that of the key or of the address. */
  async turns(door) {
    taken.length = 0;
    const ballast = 'x'.repeat(900_000);
    if (door.way === 'GET') await ask(door, { query: large });
    else if (door.way === 'intake') await ask(door, { raw: JSON.stringify({ account_id: 'a', message: ballast }) });
    else if (door.path.startsWith('/v1')) await ask(door, { raw: JSON.stringify({ name: ballast }) });
    else if (door.way === 'POST' || door.way === 'memory')
      await ask(door, { raw: JSON.stringify({ query: viewer, extensions: { ballast } }) });
    else {
      const message =
        door.way === 'ping'
          ? { type: 'ping', payload: { ballast } }
          : { type: 'subscribe', id: '1', payload: { query: viewer, extensions: { ballast } } };
      const { openSocket } = await import('../support/web-socket.ts');
      const client = await openSocket(served.address, { init: { 'x-api-key': key } });
      client.say(message);
      await client.next(door.way === 'ping' ? undefined : '1');
      client.socket.terminate();
    }
    expect(Math.max(...taken.map(({ weight }) => weight))).toBeGreaterThan(999);
  },
  /** One for the operation, of the key; a subscription leaves it once its stream is open. */
  async places(door) {
    const subscription = 'subscription { deliveryUpdated { __typename } }';
    const isStream = door.way === 'WebSocket' || /event-stream|multipart/.test(door.accept);
    for (const query of isStream ? [viewer, subscription] : [viewer]) {
      placed.length = 0;
      const asked = ask(door, { query });
      const kind = door.path.startsWith('/v1') && door.way === 'POST' ? 'mutation' : 'query';
      await expect.poll(() => placed).toEqual([{ caller: expect.not.stringMatching(/^127/), kind, isLeft: true }]);
      if (query === viewer) await asked;
    }
  },
  async size(door, refusal) {
    const raw = door.way === 'GET' ? 'x'.repeat(maxHeadersLength) : ' '.repeat(maxBodyBytes + 1);
    expectRefusal(await ask(door, { raw }), refusal);
  },
  async depth(door, refusal) {
    expectRefusal(
      await ask(door, { raw: door.way === 'GET' ? `${'['.repeat(70)}${']'.repeat(70)}` : '['.repeat(maxBodyBytes) }),
      refusal,
    );
  },
  async rate(door, refusal) {
    if (door.way === 'intake') {
      const own = await front({ EVENTS_PER_SECOND: '1' });
      const came: string[] = [];
      try {
        while (came.length < 30) came.push(String(await ask(door, { address: own.publicUrl })));
      } finally {
        await own.close();
      }
      expect(came[0]).toMatch(/^HTTP\/1.1 200 /);
      return expectRefusal(came.at(-1) ?? '', refusal);
    }
    const own = await start({ REQUESTS_PER_MINUTE: '2' });
    try {
      const { key: theirs } = await own.workspace();
      const asked = { address: own.address, server: own.server, key: theirs };
      if (door.way === 'ping') {
        const { openSocket } = await import('../support/web-socket.ts');
        const client = await openSocket(own.address, { init: { 'x-api-key': theirs } });
        for (let at = 0; at < 1_000; at += 1) client.say({ type: 'ping' });
        return expectRefusal((await client.closed)[0], refusal);
      }
      for (let at = 0; at < 2; at += 1) expect(String(await ask(door, asked))).not.toMatch(refusal as RegExp);
      expectRefusal(await ask(door, asked), refusal);
    } finally {
      await own.close();
    }
  },
  /** Of a client that sends no end. node:http looks every 30 seconds: its limit has to do. */
  async deadline(door, refusal) {
    if (refusal === true) {
      expect(door.way).toMatch(/GET|POST|intake|memory/);
      const { requestTimeout } = door.way === 'intake' ? fronting.front.app.server.server : served.server;
      return expect(requestTimeout).toBe(60_000);
    }
    const socket = new WebSocket(`${served.address.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    const [code] = await once(socket, 'close');
    expect(code).toBe(refusal);
  },
  /** Of a client that asks for much, and reads nothing. */
  async 'slow reader'(door) {
    const before = served.log.length;
    const cutOff = () => served.log.slice(before).some(({ msg }) => msg === 'response cut off');
    const port = Number(new URL(served.address).port);
    if (door.way === 'WebSocket') {
      const { openSocket } = await import('../support/web-socket.ts');
      const client = await openSocket(served.address, { init: { 'x-api-key': key } });
      client.socket.pause();
      for (let at = 0; at < 3; at += 1) client.say({ type: 'subscribe', id: `${at}`, payload: { query: large } });
      await expect.poll(cutOff).toBe(true);
      return client.socket.terminate();
    }
    if (door.way === 'memory') {
      const unread = await inMemory(door, { query: large });
      await expect.poll(cutOff).toBe(true);
      return unread.body?.cancel();
    }
    const socket = connect(port, '127.0.0.1').pause();
    socket.on('error', () => undefined);
    // A page of REST is short: the kernel has room for two.
    const list = {
      ...door,
      way: 'GET',
      path: door.path.startsWith('/v1') ? '/v1/webhooks?limit=250' : door.path,
    } as const;
    const bytes = door.path.startsWith('/v1') ? bytesFor(list, {}, false) : bytesFor(door, { query: large }, false);
    socket.write(bytes.repeat(8));
    await expect.poll(cutOff).toBe(true);
    socket.destroy();
  },
};

describe.each(Object.entries(gatedDoors))('%s', (_name, door) => {
  for (const gate of gates) {
    const refusal = door.gates[gate];
    if (typeof refusal !== 'string') test(gate, { timeout: 60_000 }, () => tries[gate](door, refusal));
  }
});

test('no other door lacks a gate', () => {
  const lacking = Object.entries(gatedDoors).flatMap(([name, door]) =>
    gates.filter((gate) => typeof door.gates[gate] === 'string').map((gate) => `${name}: ${gate}`),
  );
  expect(lacking).toEqual([
    'REST, a list: depth',
    'events of a service: places',
    'events of a service: slow reader',
    'pings over WebSocket: places',
    'pings over WebSocket: deadline',
    'pings over WebSocket: slow reader',
  ]);
});
