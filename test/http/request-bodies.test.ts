/** Bodies that arrive: in any pieces, from anybody, and slowly. */
import { IncomingMessage, ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { IncomingRequest } from '../../src/http/incoming-request.ts';
import { bodyLimits, maxBodyBytes, maxBodyChunks, RequestBodies } from '../../src/http/request-bodies.ts';
import type { ServiceError } from '../../src/kernel/errors.ts';
import { createFairTurns } from '../../src/kernel/lib/fair-turns.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { sendBytes } from '../support/raw-http.ts';

const sender = { ip: '192.0.2.1' };
const other = { ip: '192.0.2.2' };

describe('a body', () => {
  const never = (failure: ServiceError) => {
    throw failure;
  };

  test('is what its chunks are together', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ minLength: 1, maxLength: 9_000 }), { maxLength: 20 }), (chunks) => {
        const bodies = new RequestBodies();
        const body = bodies.open(sender, never);
        const own = chunks.map((chunk) => Buffer.from(chunk));
        for (const chunk of own) body.append(chunk);
        expect(body.take()).toEqual(Buffer.concat(chunks));
        expect(bodies.bytes).toBe(0);
        // Chunks are another's memory.
        expect(own).toEqual(chunks.map((chunk) => Buffer.from(chunk)));
        body.release();
        body.release();
        expect(bodies.bytes).toBe(0);
      }),
    );
  });

  test.each([
    ['chunks', maxBodyChunks, 1],
    ['bytes', 16, maxBodyBytes / 16],
  ])('has at most so many %s', (_what, most, length) => {
    const failures: ServiceError[] = [];
    const bodies = new RequestBodies();
    const body = bodies.open(sender, (failure) => failures.push(failure));
    for (let at = 0; at < most; at += 1) body.append(Buffer.alloc(length));
    expect(failures).toEqual([]);
    body.append(Buffer.alloc(length));
    expect(failures).toMatchObject([{ errorName: 'content_too_large' }]);
    expect(bodies.bytes).toBe(0);
  });
});

describe('bodies together', () => {
  const limits = { bytes: 1_000, small: 100 };

  function some() {
    const bodies = new RequestBodies(limits);
    const refused: string[] = [];
    const arriving = (name: string, length: number, from = sender) => {
      const body = bodies.open(from, ({ errorName }) => refused.push(`${name} ${errorName}`));
      body.append(Buffer.alloc(length));
      return body;
    };
    return { bodies, refused, arriving };
  }

  test('a slow body outlasts any number of those of another address, and a quick one has room', () => {
    const { bodies, refused, arriving } = some();
    const slow = arriving('slow', 101, other);
    for (let n = 0; n < 100; n += 1) {
      arriving('large', 150);
      arriving('largest', 450);
      slow.append(Buffer.alloc(1));
      arriving('quick', 150, other).take();
    }
    expect(new Set(refused)).toEqual(new Set(['large service_unavailable', 'largest service_unavailable']));
    expect(slow.take().length).toBe(201);
    expect(bodies.bytes).toBeLessThanOrEqual(limits.bytes);
  });

  test('addresses of one /64 of IPv6 are one client', () => {
    const { refused, arriving } = some();
    arriving('first', 400, { ip: '2001:db8::1' });
    arriving('other', 450, other);
    arriving('second', 151, { ip: '2001:db8::2' });
    expect(refused).toEqual(['first service_unavailable']);
  });

  test('count while they live, and those of others outlast the bodies of an address that has most', () => {
    const step = fc.record({ at: fc.nat(11), what: fc.constantFrom('append', 'append', 'append', 'take', 'release') });
    const steps = fc.array(fc.tuple(step, fc.integer({ min: 1, max: 500 })), { maxLength: 200 });
    fc.assert(
      fc.property(steps, (all) => {
        const bodies = new RequestBodies(limits);
        const alive = new Map<number, { readonly body: ReturnType<RequestBodies['open']>; length: number }>();
        const counted = (of: (at: number) => boolean) =>
          [...alive].reduce((sum, [at, { length }]) => sum + (of(at) && length > limits.small ? length : 0), 0);
        const addressOf = (at: number) => at % 4;
        const bytesOf = (address: number) => counted((at) => addressOf(at) === address);
        const begin = (at: number) => {
          const body = bodies.open({ ip: `192.0.2.${addressOf(at)}` }, () => {
            expect(counted(() => true)).toBeGreaterThan(limits.bytes);
            expect(bytesOf(addressOf(at))).toBe(Math.max(...[0, 1, 2, 3].map(bytesOf)));
            const [oldest] = [...alive.keys()].filter((each) => addressOf(each) === addressOf(at) && isCounted(each));
            expect(at).toBe(oldest);
            alive.delete(at);
          });
          return { body, length: 0 };
        };
        const isCounted = (at: number) => (alive.get(at)?.length ?? 0) > limits.small;
        for (const [{ at, what }, length] of all) {
          const each = alive.get(at) ?? begin(at);
          if (what === 'append') {
            // In the order in which they begin to count.
            if (!isCounted(at)) alive.delete(at);
            each.length += length;
            alive.set(at, each);
            each.body.append(Buffer.alloc(length));
          } else {
            alive.delete(at);
            expect(what === 'take' ? each.body.take().length : each.length).toBe(each.length);
            each.body.release();
          }
          expect(bodies.bytes).toBe(counted(() => true));
          expect(bodies.bytes).toBeLessThanOrEqual(limits.bytes);
        }
        for (const { body } of alive.values()) body.release();
        expect(bodies.bytes).toBe(0);
      }),
    );
  });
});

describe('of requests', () => {
  const limits = { bytes: 1_000, small: 100 };
  const logger = pino({ level: 'silent' });

  /** Requests whose bodies wait until turns are given. */
  function waitingRequests() {
    const bodies = new RequestBodies(limits);
    const given: (() => void)[] = [];
    const turns = { ...createFairTurns(), take: () => new Promise<void>((resolve) => given.push(resolve)) };
    const begin = (from: { readonly ip: string }) => {
      const raw = new IncomingMessage(new Socket());
      raw.headers['x-forwarded-for'] = from.ip;
      const response = new ServerResponse(raw);
      const request = new IncomingRequest(raw, response, { logger, turns, bodies, isTrustedProxy: () => true });
      return {
        raw,
        body: request.body().then(
          (bytes) => bytes.length,
          ({ errorName }: ServiceError) => errorName,
        ),
      };
    };
    const send = (from: { readonly ip: string }, length: number) => {
      const { raw, body } = begin(from);
      raw.push(Buffer.alloc(length));
      raw.push(null);
      return body;
    };
    const give = () => {
      for (const resolve of given.splice(0)) resolve();
    };
    return { bodies, given, begin, send, give };
  }

  test('those that wait for their turn give way to another address', async () => {
    const { bodies, given, send, give } = waitingRequests();
    const large = [send(sender, 400), send(sender, 500)];
    await expect.poll(() => given.length).toBe(2);
    expect(bodies.bytes).toBe(900);
    const quick = send(other, 200);
    expect(await large[0]).toBe('service_unavailable');
    expect(bodies.bytes).toBe(700);
    await expect.poll(() => given.length).toBe(3);
    give();
    expect(await Promise.all([...large, quick])).toEqual(['service_unavailable', 500, 200]);
    expect(bodies.bytes).toBe(0);
  });

  test('one that breaks off gives its memory back', async () => {
    const { bodies, begin } = waitingRequests();
    const { raw, body } = begin(sender);
    raw.push(Buffer.alloc(400));
    await expect.poll(() => bodies.bytes).toBe(400);
    raw.destroy();
    expect(await body).toBe('malformed_request');
    expect(bodies.bytes).toBe(0);
  });
});

describe('at the gateway', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway({ environment: { KEYLESS_PER_MINUTE: '0' } });
  });
  afterAll(() => gateway.close());

  test.each(['/graphql', '/v1/webhooks'])('a body of a byte a chunk is refused (%s)', async (path) => {
    const { key } = await gateway.workspace();
    const head = `POST ${path} HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\n`;
    const body = '1\r\n \r\n'.repeat(maxBodyChunks + 1);
    const text = await sendBytes(gateway.address, `${head}transfer-encoding: chunked\r\n\r\n${body}`);
    expect(text).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(text).toContain(`at most ${maxBodyChunks} chunks`);
  });

  test('clients that send large bodies and stop take no more memory than all may, and hold nobody up', async () => {
    const { key } = await gateway.workspace();
    const length = 1_000_000;
    const count = Math.ceil(bodyLimits.bytes / length) + 20;
    const answers: string[] = [];
    const sockets = Array.from({ length: count }, () => {
      const socket = connect(Number(new URL(gateway.address).port), '127.0.0.1').setEncoding('latin1');
      socket.on('data', (text: string) => answers.push(text.slice(0, 12))).on('error', () => undefined);
      socket.write(
        `POST /graphql HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\ncontent-length: ${length + 1}\r\n\r\n`,
      );
      socket.write(Buffer.alloc(length, ' '));
      return socket;
    });
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });
    await expect.poll(() => answers.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(17);
    expect(new Set(answers)).toEqual(new Set(['HTTP/1.1 503']));
    const query = `{ __typename ${'#'.repeat(200_000)}\n }`;
    const response = await fetch(`${gateway.address}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body: JSON.stringify({ query }),
    });
    expect(await response.json()).toEqual({ data: { __typename: 'Query' } });
  });
});
