import { describe, expect, test } from 'vitest';
import { breakerRules } from '../../src/upstream/circuits.ts';
import {
  breakOff,
  expectRecovered,
  failureOf,
  healthy,
  hurried,
  posts,
  publish,
  remove,
  setUp,
  timers,
  times,
} from '../support/faults.ts';
import { freePort } from '../support/reverse-proxy.ts';
import { envelope, json, pnetPost, postList, proxyTo, type Respond, startStub } from '../support/stub.ts';

describe('a slow service', () => {
  test.each<[string, Respond]>([
    ['never responds', () => {}],
    ['sends a header and no body', (_request, response) => void response.writeHead(200).flushHeaders()],
    [
      'drips',
      (_request, response) => {
        const drip = setInterval(() => response.write(' '), 10);
        response.on('close', () => clearInterval(drip));
      },
    ],
  ])('that %s: the call ends with its deadline, and so does the connection', async (_what, respond) => {
    const setup = await setUp(hurried, respond);
    const before = timers();
    const started = performance.now();
    expect(await failureOf(setup.gateway)).toMatchObject({ code: 'REQUEST_TIMEOUT', status: 504 });
    // Without the deadline of the test it is one of half a minute.
    expect(performance.now() - started).toBeLessThan(15_000);
    await expect.poll(() => setup.stub.sockets.size).toBe(0);
    expect(timers()).toBeLessThanOrEqual(before + 1);
    expect(setup.stub.received).toHaveLength(1);
    await expectRecovered(setup);
  });

  test('a client that disconnects ends the call', async () => {
    const { stub, gateway } = await setUp({}, () => {});
    const gone = new AbortController();
    const asked = fetch(`${gateway.address}/v1/users/ACo1/posts?account_id=a`, {
      headers: { 'x-api-key': 'k' },
      signal: gone.signal,
    });
    await expect.poll(() => stub.received).toHaveLength(1);
    expect(stub.sockets.size).toBe(1);
    gone.abort();
    await expect(asked).rejects.toThrow();
    await expect.poll(() => stub.sockets.size).toBe(0);
    await expectRecovered({ stub, gateway });
  });

  test.each([
    ['REST', { method: 'DELETE', path: '/v1/webhooks/w1', body: null }],
    [
      'GraphQL',
      {
        method: 'POST',
        path: '/graphql',
        body: JSON.stringify({ query: 'mutation { deleteWebhook(input: { webhookId: "w1" }) { __typename } }' }),
      },
    ],
  ])('a client that disconnects does not end a command, over %s', async (_face, { method, path, body }) => {
    let respond = () => {};
    const { stub, gateway } = await setUp({}, (_request, response) => {
      respond = () => json(response, 200, { object: 'WebhookDeleted' });
    });
    const gone = new AbortController();
    const headers = { 'x-api-key': 'k', ...(body && { 'content-type': 'application/json' }) };
    const asked = fetch(gateway.address + path, { method, headers, body, signal: gone.signal });
    await expect.poll(() => stub.received).toHaveLength(1);
    gone.abort();
    await expect(asked).rejects.toThrow();
    const isLogged = () => gateway.log.some(({ msg, aborted }) => msg === 'request' && aborted === true);
    await expect.poll(() => isLogged()).toBe(true);
    const [socket] = stub.sockets;
    expect(socket?.destroyed).toBe(false);
    respond();
    await expectRecovered({ stub, gateway });
    expect(gateway.log.filter(({ msg }) => msg === 'upstream failure')).toEqual([]);
  });

  test('one operation has one budget, however many calls it makes', async () => {
    const slow: Respond = (request, response) => void setTimeout(healthy, 150, request, response);
    const respond: Respond = (request, response) => {
      const cursor = new URL(request.path, 'http://x').searchParams.get('cursor') ?? '0';
      const page = { object: 'WebhookList', items: [], cursor: String(Number(cursor) + 1) };
      if (request.path.includes('webhooks')) setTimeout(json, 150, response, 200, page);
      else slow(request, response);
    };
    const setup = await setUp({ UPSTREAM_TIMEOUT_MS: '10000' }, respond, { tuning: { upstream: { budgetMs: 400 } } });
    expect(await failureOf(setup.gateway, '{ webhook(webhookId: "w") { id } }')).toMatchObject({
      code: 'REQUEST_TIMEOUT',
    });
    expect(setup.stub.received.length).toBeLessThan(5);
    await expectRecovered(setup);
  });
});

describe('a service that breaks off', () => {
  test('a read is retried', async () => {
    const setup = await setUp({}, times(2, breakOff));
    expect((await setup.gateway.ask(posts)).data.posts.nodes).toEqual([{ providerId: 'ACo1' }]);
    expect(setup.stub.received).toHaveLength(3);
    await expectRecovered(setup);
  });

  test('a read that breaks off every time is errors/network_down', async () => {
    const setup = await setUp({}, breakOff);
    expect(await failureOf(setup.gateway)).toMatchObject({ code: 'NETWORK_DOWN', status: 503 });
    expect(setup.stub.received).toHaveLength(3);
    await expectRecovered(setup);
  });

  test('connections that the service closed between requests do no harm', async () => {
    const setup = await setUp();
    for (let n = 0; n < 5; n += 1) {
      expect((await setup.gateway.ask(posts)).errors).toEqual([]);
      for (const socket of setup.stub.sockets) socket.destroy();
    }
    await expectRecovered(setup);
  });
});

describe('a service that cannot be reached', () => {
  test('is errors/service_unavailable, and is used again when it is back', async () => {
    const { stub, gateway } = await setUp({}, healthy, { port: await freePort() });
    await stub.close();
    for (const query of [posts, publish, remove]) {
      expect(await failureOf(gateway, query)).toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503 });
    }
    const back = await startStub(healthy, Number(new URL(stub.url).port));
    await expectRecovered({ stub: back, gateway });
  });

  test('even a publish is retried if it cannot have arrived', async () => {
    const { stub, gateway } = await setUp({}, healthy, { port: await freePort() });
    await stub.close();
    const asked = gateway.ask(publish);
    const back = await startStub(healthy, Number(new URL(stub.url).port));
    expect((await asked).data.publishJob).toEqual({ state: 'ACTIVE' });
    expect(back.received).toHaveLength(1);
  });

  test.each([
    ['TLS to a port that has none', (url: string) => url.replace('http:', 'https:')],
    ['a name that nobody has', () => 'http://nobody.invalid'],
  ])('%s is errors/service_unavailable', async (_what, address) => {
    const stub = await startStub(healthy);
    const gateway = await proxyTo({ url: address(stub.url) }, { environment: { UPSTREAM_TIMEOUT_MS: '5000' } });
    expect(await failureOf(gateway)).toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503 });
    expect(stub.received).toEqual([]);
  });
});

describe('a service that responds with nonsense', () => {
  test.each<[string, Respond]>([
    ['HTML', (_request, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
    ['nothing', (_request, response) => void response.end()],
    ['JSON that is cut', (_request, response) => json(response, 200, '{"object":"PostList","items":[{"prov')],
    ['too much', (_request, response) => json(response, 200, postList([pnetPost('1', { text: 'x'.repeat(20_000) })]))],
    [
      'endlessly',
      (_request, response) => {
        const more = () => {
          while (!response.destroyed && response.write('x'.repeat(1_000)));
        };
        response.on('drain', more);
        more();
      },
    ],
  ])('%s is errors/provider_error', async (_what, respond) => {
    const setup = await setUp({}, respond, { tuning: { upstream: { maxBytes: 10_000 } } });
    expect(await failureOf(setup.gateway)).toMatchObject({ code: 'PROVIDER_ERROR', status: 500 });
    expect(setup.stub.received).toHaveLength(1);
    await expectRecovered(setup);
  });
});

describe('a service in trouble', () => {
  const unavailable: Respond = (_request, response) => json(response, 503, envelope('service_unavailable', 503));

  test('a read survives a burst of 503', async () => {
    const setup = await setUp({}, times(2, unavailable));
    expect((await setup.gateway.ask(posts)).errors).toEqual([]);
    expect(setup.stub.received).toHaveLength(3);
    await expectRecovered(setup);
  });

  test('the retry waits for Retry-After', async () => {
    const setup = await setUp(
      {},
      times(1, (_request, response) => json(response, 429, '', { 'retry-after': '1' })),
    );
    const started = performance.now();
    expect((await setup.gateway.ask(posts)).errors).toEqual([]);
    expect(performance.now() - started).toBeGreaterThan(990);
    await expectRecovered(setup);
  });

  test('a call that would only wait to time out is refused at once', async () => {
    const { stub, gateway } = await setUp({ UPSTREAM_CONNECTIONS: '1', UPSTREAM_TIMEOUT_MS: '5000' }, () => {});
    const started = performance.now();
    const failures = await Promise.all(
      Array.from({ length: 60 }, async (_, n) => ({
        ...(await failureOf(gateway, posts, { of: `ACo${n}` })),
        ms: performance.now() - started,
      })),
    );
    const refused = failures.filter(({ code }) => code === 'SERVICE_UNAVAILABLE');
    expect(refused).toHaveLength(60 - 33);
    expect(Math.max(...refused.map(({ ms }) => ms))).toBeLessThan(5_000);
    expect(failures.filter(({ code }) => code === 'REQUEST_TIMEOUT')).toHaveLength(33);
    gateway.clock.now = new Date(gateway.clock.now.getTime() + breakerRules.openMs);
    await expectRecovered({ stub, gateway });
  });
});
