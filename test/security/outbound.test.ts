/** The one door to the network: which addresses it connects to, and what it returns of every response and failure. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addressRule, readBlocks } from '../../src/net/addresses.ts';
import type { Lookup } from '../../src/net/dns/lookup.ts';
import { maxIdleOrigins } from '../../src/net/origin-pools.ts';
import { createOutbound } from '../../src/net/outbound.ts';
import { hostileLiterals } from '../support/hostile-addresses.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

const publicOnly = addressRule([]);
const withLoopback = addressRule(readBlocks('127.0.0.0/8'));

describe('the door to the network', () => {
  let receiver: Receiver;
  let outbound: ReturnType<typeof createOutbound>;
  let answers: Record<string, string[]>;
  let asked: string[];

  const lookup: Lookup = async (hostname) => {
    asked.push(hostname);
    const found = answers[hostname];
    if (found === undefined) throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
    return found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  const open = (allows = withLoopback) => {
    outbound = createOutbound({ allows, lookup, connectTimeoutMs: 2_000 });
    return outbound;
  };
  const post = (url: string, deadlineMs = 2_000) =>
    outbound.post({ url: new URL(url), headers: ['x-test', 'yes'], body: Buffer.from('hello'), deadlineMs });

  /** The client takes a connection back some turns of the event loop after the answer's end. */
  const connectionFree = async () => {
    for (let turns = 0; turns < 5; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  };

  beforeEach(async () => {
    receiver = await startReceiver();
    answers = {};
    asked = [];
  });
  afterEach(async () => {
    await outbound.close();
    await receiver.close();
  });

  test('sends the bytes it is given and reads what comes back', async () => {
    open();
    receiver.answer = (_request, response) => response.writeHead(202, { 'retry-after': '7' }).end('thanks');
    const answer = await post(`${receiver.address}/in?a=1`);
    expect(answer).toMatchObject({ status: 202, failure: null, retryAfter: '7' });
    expect(answer.body.toString()).toBe('thanks');
    expect(receiver.received).toMatchObject([{ path: '/in?a=1', body: 'hello', headers: { 'x-test': 'yes' } }]);
  });

  test('opens nothing once it is closed', async () => {
    open();
    await outbound.close();
    await expect(post(receiver.address)).rejects.toThrow('closed');
    expect(receiver.received).toEqual([]);
  });

  test('keeps a connection for the next request', async () => {
    open();
    const ports = new Set<number | undefined>();
    receiver.answer = (_request, response, raw) => {
      ports.add(raw.socket.remotePort);
      response.end();
    };
    for (let n = 0; n < 5; n += 1) {
      await post(receiver.address);
      await connectionFree();
    }
    expect(ports.size).toBe(1);
  });

  test.each(hostileLiterals)('does not connect to %s, though it never reaches a resolver', async (text) => {
    open(publicOnly);
    answers = { localhost: ['127.0.0.1'], 'localhost.': ['127.0.0.1'], 'anything.localhost': ['::1'] };
    expect(await post(text, 500)).toMatchObject({ status: null, failure: 'address_refused' });
  });

  test('a name that leads to refused addresses alone is refused', async () => {
    open(publicOnly);
    answers = {
      'loop.example': ['127.0.0.1'],
      'mixed.example': ['127.0.0.1', '10.0.0.1'],
      'v6.example': ['::ffff:169.254.169.254'],
      'none.example': [],
    };
    for (const name of Object.keys(answers)) {
      expect(await post(`http://${name}:${receiver.port}/`)).toMatchObject({ failure: 'address_refused' });
    }
    expect(receiver.received).toEqual([]);
  });

  test('a name that changes its address between check and connection gains nothing', async () => {
    // The first answer is allowed and is connected to; the second is not, and the resolver is asked once a connection.
    open(addressRule(readBlocks('127.0.0.1')));
    answers = { 'rebind.example': ['127.0.0.1'] };
    const url = `http://rebind.example:${receiver.port}/`;
    expect(await post(url)).toMatchObject({ status: 200 });
    expect(asked).toEqual(['rebind.example']);
    await connectionFree();
    answers = { 'rebind.example': ['127.0.0.2'] };
    receiver.answer = (_request, response) => response.setHeader('connection', 'close').end();
    expect(await post(url)).toMatchObject({ status: 200 });
    expect(asked).toEqual(['rebind.example']);
    await connectionFree();
    expect(await post(url)).toMatchObject({ failure: 'address_refused' });
    expect(receiver.received).toHaveLength(2);
  });

  test('the address that was connected to is checked too', async () => {
    // A rule that lets the address through when it is resolved, and not when it is found at the other end.
    let looks = 0;
    open(() => {
      looks += 1;
      return looks === 1;
    });
    answers = { 'late.example': ['127.0.0.1'] };
    expect(await post(`http://late.example:${receiver.port}/`)).toMatchObject({ failure: 'address_refused' });
    expect(receiver.received).toEqual([]);
  });

  test('follows no redirect', async () => {
    open();
    receiver.answer = (_request, response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end();
    expect(await post(receiver.address)).toMatchObject({ status: 307, failure: null });
    expect(receiver.received).toHaveLength(1);
  });

  test('one deadline applies to the whole response: one that never comes, and one that drips', async () => {
    open();
    receiver.answer = () => {};
    const started = performance.now();
    expect(await post(receiver.address, 500)).toMatchObject({ status: null, failure: 'timeout' });
    expect(performance.now() - started).toBeLessThan(5_000);
    let drip: NodeJS.Timeout | undefined;
    receiver.answer = (_request, response) => {
      response.writeHead(200);
      drip = setInterval(() => response.write('x'), 10);
    };
    expect(await post(receiver.address, 150)).toMatchObject({ status: 200, failure: 'timeout' });
    clearInterval(drip);
  });

  test('a request whose deadline passes while its name is looked up is not sent', async () => {
    const found = Promise.withResolvers<void>();
    outbound = createOutbound({
      allows: withLoopback,
      lookup: async () => {
        await found.promise;
        return [{ address: '127.0.0.1', family: 4 }];
      },
      connectTimeoutMs: 2_000,
    });
    expect(await post(`http://slow.example:${receiver.port}/`, 50)).toMatchObject({ failure: 'timeout' });
    expect(outbound.origins).toBe(1);
    found.resolve();
    await expect.poll(() => outbound.origins).toBe(0);
    expect(receiver.received).toEqual([]);
  });

  test('an informational response is none: its status is not that of the response which never comes', async () => {
    open();
    receiver.answer = (_request, _response, { socket }) => {
      socket.write('HTTP/1.1 103 Early Hints\r\nretry-after: 7\r\n\r\n');
    };
    expect(await post(receiver.address, 500)).toMatchObject({ status: null, failure: 'timeout', retryAfter: null });
  });

  test('reads 16 KiB of a long answer and no more', async () => {
    open();
    let closed: (() => void) | undefined;
    const gone = new Promise<void>((resolve) => {
      closed = resolve;
    });
    receiver.answer = (_request, response) => {
      response.on('close', () => closed?.());
      response.writeHead(200).end(Buffer.alloc(10 * 1024 * 1024, 'x'));
    };
    const answer = await post(receiver.address);
    expect(answer).toMatchObject({ status: 200, failure: null });
    expect(answer.body).toHaveLength(1024);
    await gone;
  });

  test.each([
    ['a status line', 'HTTP/1.1 200 ', 'x'.repeat(65_536)],
    ['headers', 'HTTP/1.1 200 OK\r\n', 'a: b\r\n'.repeat(10_000)],
    ['informational responses', '', 'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n'.repeat(2_000)],
    ['the extension of a chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;', 'x'.repeat(65_536)],
    ['trailers', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n', 'a: b\r\n'.repeat(10_000)],
  ])('%s without an end is not read to the deadline', async (_what, head, more) => {
    open();
    receiver.answer = (_request, _response, { socket }) => {
      const push = () => {
        while (!socket.destroyed && socket.write(more));
      };
      socket.on('drain', push).write(head);
      push();
    };
    expect(await post(receiver.address, 10_000)).toMatchObject({ failure: 'invalid_response' });
  });

  test('a connection is kept for any number of responses that are small', async () => {
    open();
    const ports = new Set<number | undefined>();
    receiver.answer = (_request, response, raw) => {
      ports.add(raw.socket.remotePort);
      response.end('x'.repeat(10_000));
    };
    for (let n = 0; n < 30; n += 1) {
      expect(await post(receiver.address)).toMatchObject({ status: 200, failure: null });
      await connectionFree();
    }
    expect(ports.size).toBe(1);
  });

  test('a connection that is reset, an answer that is no HTTP, and a chunk that is broken are failures', async () => {
    open();
    receiver.answer = (_request, _response, raw) => raw.socket.resetAndDestroy();
    expect(await post(receiver.address)).toMatchObject({ status: null, failure: 'connection_lost' });
    receiver.answer = (_request, _response, raw) => raw.socket.end('nonsense\r\n\r\n');
    expect(await post(receiver.address)).toMatchObject({ status: null, failure: 'invalid_response' });
    receiver.answer = (_request, _response, raw) =>
      raw.socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nbroken\r\n');
    expect(await post(receiver.address)).toMatchObject({ status: 200, failure: 'invalid_response' });
    receiver.answer = (_request, _response, raw) =>
      raw.socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort');
    expect(await post(receiver.address)).toMatchObject({ status: 200, failure: 'connection_lost' });
  });

  test('a port on which nothing listens, and a name that does not exist', async () => {
    open();
    expect(await post('http://127.0.0.1:1/')).toMatchObject({ status: null, failure: 'connection_failed' });
    expect(await post('http://nobody.example/')).toMatchObject({ status: null, failure: 'name_not_found' });
  });

  test.each([
    ['hang', () => {}, 30],
    [
      'respond with more than is read',
      (_request: unknown, response: ServerResponse) => response.end('x'.repeat(100_000)),
      5_000,
    ],
    ['respond', (_request: unknown, response: ServerResponse) => response.end(), 5_000],
    [
      'reset the connection',
      (_request: unknown, _response: unknown, raw: IncomingMessage) => raw.socket.resetAndDestroy(),
      5_000,
    ],
  ])('of origins that %s, a bounded number is kept', async (_what, answer, deadlineMs) => {
    open();
    receiver.answer = answer;
    for (let flood = 0; flood < maxIdleOrigins + 200; flood += 50) {
      const names = Array.from({ length: 50 }, (_, n) => `host-${flood + n}.example`);
      answers = Object.fromEntries(names.map((name) => [name, ['127.0.0.1']]));
      await Promise.all(names.map((name) => post(`http://${name}:${receiver.port}/`, deadlineMs)));
      expect(outbound.origins).toBeLessThanOrEqual(maxIdleOrigins + 50);
    }
    await expect.poll(() => receiver.connections).toBeLessThanOrEqual(maxIdleOrigins);
  });

  test('nothing is kept of origins that hung', async () => {
    open();
    receiver.answer = () => {};
    answers = { 'a.example': ['127.0.0.1'], 'b.example': ['127.0.0.1'] };
    await Promise.all(Object.keys(answers).map((name) => post(`http://${name}:${receiver.port}/`, 50)));
    await expect.poll(() => outbound.origins).toBe(0);
  });

  test('an origin with a request in flight keeps its connections, however many others there are', async () => {
    open();
    let respond: (() => void) | undefined;
    receiver.answer = ({ path }, response) => {
      if (path === '/slow') respond = () => response.end('late');
      else response.end();
    };
    const slow = post(`${receiver.address}/slow`, 60_000);
    await receiver.waitFor(1);
    for (let flood = 0; flood < maxIdleOrigins + 100; flood += 50) {
      const names = Array.from({ length: 50 }, (_, n) => `host-${flood + n}.example`);
      answers = Object.fromEntries(names.map((name) => [name, ['127.0.0.1']]));
      await Promise.all(names.map((name) => post(`http://${name}:${receiver.port}/`)));
    }
    respond?.();
    expect(await slow).toMatchObject({ status: 200, failure: null });
  });
});
