/**
 * The gateway before a service that misbehaves in every way there is. After each fault it answers correctly again, and
 * holds no connection, timer or memory for what has passed.
 */
import { createServer, type Server } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { breakerRules } from '../../src/upstream/circuit-breaker.ts';
import {
  type Answer,
  envelope,
  gatewayBefore,
  json,
  pnetPost,
  postList,
  type Stub,
  startStub,
  webhook,
} from '../support/stub.ts';

/** Deadlines that a test can wait for. */
const hurried = { UPSTREAM_TIMEOUT_MS: '250', UPSTREAM_BUDGET_MS: '500' };

const healthy: Answer = ({ path, method }, response) => {
  if (method === 'POST') json(response, 200, { object: 'PnetJobPostingPublished', job_state: 'active', job_id: '7' });
  else if (method === 'DELETE') json(response, 200, { object: 'WebhookDeleted' });
  else if (path.includes('webhooks'))
    json(response, 200, { object: 'WebhookList', items: [webhook('w')], cursor: null });
  else json(response, 200, postList([pnetPost(/users\/([^/]+)/.exec(path)?.[1] ?? '')]));
};

const posts =
  'query ($of: String = "ACo1") { posts(accountId: "a", identifier: $of) { nodes { ... on PnetPost { providerId } } } }';
const publish = `mutation { publishJob(input: { accountId: "a", draftId: "7", mode: FREE }) {
  ... on PnetJobPostingPublished { jobState } ... on ServiceError { type } } }`;
const remove = 'mutation { deleteWebhook(input: { webhookId: "w" }) { __typename ... on ServiceError { type } } }';

type Faced = Awaited<ReturnType<typeof gatewayBefore>>;

async function setUp(environment: Record<string, string> = hurried, answer: Answer = healthy) {
  const stub = await startStub(answer);
  const gateway = await gatewayBefore(stub, { environment });
  return { stub, gateway };
}

async function failureOf(gateway: Faced, query = posts, variables = {}) {
  const { errors } = await gateway.ask(query, variables);
  expect(errors).toHaveLength(1);
  return errors[0]?.extensions as { type: string; status: number; detail: string };
}

/** It answers as it should, and closes without leaving a connection. */
async function expectSound({ stub, gateway }: { stub: Stub; gateway: Faced }) {
  stub.answer = healthy;
  expect((await gateway.ask(posts)).data.posts.nodes).toEqual([{ providerId: 'ACo1' }]);
  expect((await gateway.ask(publish)).data.publishJob).toEqual({ jobState: 'ACTIVE' });
  await gateway.app.close();
  await vi.waitFor(() => expect(stub.sockets.size).toBe(0));
}

const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

/** Sends the first bytes of an answer and then breaks the connection. */
const breakOff: Answer = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"object":"PostList","items":[', () => response.destroy());
};

const times = (count: number, fault: Answer): Answer => {
  let left = count;
  return (request, response) => {
    left -= 1;
    (left >= 0 ? fault : healthy)(request, response);
  };
};

describe('a slow service', () => {
  test.each<[string, Answer]>([
    ['never answers', () => {}],
    ['sends a header and no body', (_request, response) => void response.writeHead(200).flushHeaders()],
    [
      'drips',
      (_request, response) => {
        const drip = setInterval(() => response.write(' '), 10);
        response.on('close', () => clearInterval(drip));
      },
    ],
  ])('that %s ends with the deadline, and its connection with it', async (_what, answer) => {
    const setup = await setUp(hurried, answer);
    const before = timers();
    const started = performance.now();
    expect(await failureOf(setup.gateway)).toMatchObject({ type: 'errors/request_timeout', status: 504 });
    expect(performance.now() - started).toBeLessThan(2_000);
    await vi.waitFor(() => expect(setup.stub.sockets.size).toBe(0));
    expect(timers()).toBeLessThanOrEqual(before + 1);
    expect(setup.stub.received).toHaveLength(1);
    await expectSound(setup);
  });

  test('answers late, but in time', async () => {
    const setup = await setUp(hurried, (request, response) => void setTimeout(healthy, 50, request, response));
    expect((await setup.gateway.ask(posts)).errors).toEqual([]);
    await expectSound(setup);
  });

  test('a publish that nobody answered is not repeated, and it is said that its end is not known', async () => {
    const setup = await setUp(hurried, () => {});
    expect(await failureOf(setup.gateway, publish)).toMatchObject({
      type: 'errors/request_timeout',
      detail: expect.stringContaining('outcome is unknown'),
    });
    expect(setup.stub.received).toHaveLength(1);
    await expectSound(setup);
  });

  test('a client that goes away takes the call with it', async () => {
    const { stub, gateway } = await setUp({}, () => {});
    const gone = new AbortController();
    const asked = fetch(`${gateway.address}/v1/users/ACo1/posts?account_id=a`, {
      headers: { 'x-api-key': 'k' },
      signal: gone.signal,
    });
    await vi.waitFor(() => expect(stub.received).toHaveLength(1));
    expect(stub.sockets.size).toBe(1);
    gone.abort();
    await expect(asked).rejects.toThrow();
    await vi.waitFor(() => expect(stub.sockets.size).toBe(0));
    await expectSound({ stub, gateway });
  });

  test('one operation has one budget, however many calls it makes', async () => {
    const slow: Answer = (request, response) => void setTimeout(healthy, 150, request, response);
    const setup = await setUp({ UPSTREAM_TIMEOUT_MS: '10000', UPSTREAM_BUDGET_MS: '400' }, (request, response) => {
      const cursor = new URL(request.path, 'http://x').searchParams.get('cursor') ?? '0';
      const page = { object: 'WebhookList', items: [], cursor: String(Number(cursor) + 1) };
      if (request.path.includes('webhooks')) setTimeout(json, 150, response, 200, page);
      else slow(request, response);
    });
    expect(await failureOf(setup.gateway, '{ webhook(webhookId: "w") { id } }')).toMatchObject({
      type: 'errors/request_timeout',
    });
    expect(setup.stub.received.length).toBeLessThan(5);
    await expectSound(setup);
  });
});

describe('a service that breaks off', () => {
  test('a read is made again', async () => {
    const setup = await setUp({}, times(2, breakOff));
    expect((await setup.gateway.ask(posts)).data.posts.nodes).toEqual([{ providerId: 'ACo1' }]);
    expect(setup.stub.received).toHaveLength(3);
    await expectSound(setup);
  });

  test('a read that breaks off every time is errors/network_down', async () => {
    const setup = await setUp({}, breakOff);
    expect(await failureOf(setup.gateway)).toMatchObject({ type: 'errors/network_down', status: 503 });
    expect(setup.stub.received).toHaveLength(3);
    await expectSound(setup);
  });

  test.each([
    ['publish', publish],
    ['delete', remove],
  ])('a %s is not made again', async (_what, mutation) => {
    const setup = await setUp({}, breakOff);
    expect(await failureOf(setup.gateway, mutation)).toMatchObject({
      type: 'errors/network_down',
      detail: expect.stringContaining('outcome is unknown'),
    });
    expect(setup.stub.received).toHaveLength(1);
    await expectSound(setup);
  });

  test('a publish with an idempotency key is made again, under that key', async () => {
    const setup = await setUp({}, times(1, breakOff));
    const response = await fetch(`${setup.gateway.address}/v1/pnet/jobs/7/publish`, {
      method: 'POST',
      headers: { 'x-api-key': 'k', 'content-type': 'application/json', 'idempotency-key': 'once' },
      body: '{"account_id":"a","mode":"FREE"}',
    });
    expect(await response.json()).toMatchObject({ object: 'PnetJobPostingPublished' });
    expect(setup.stub.received.map(({ headers }) => headers['idempotency-key'])).toEqual(['once', 'once']);
    await expectSound(setup);
  });

  test('connections that the service closed between requests cost nothing', async () => {
    const setup = await setUp();
    for (let n = 0; n < 5; n += 1) {
      expect((await setup.gateway.ask(posts)).errors).toEqual([]);
      for (const socket of setup.stub.sockets) socket.destroy();
    }
    await expectSound(setup);
  });
});

describe('a service that cannot be reached', () => {
  test('is errors/service_unavailable, and is found again when it is back', async () => {
    const { stub, gateway } = await setUp();
    await stub.close();
    for (const query of [posts, publish, remove]) {
      expect(await failureOf(gateway, query)).toMatchObject({ type: 'errors/service_unavailable', status: 503 });
    }
    const back = await startStub(healthy, Number(new URL(stub.url).port));
    await expectSound({ stub: back, gateway });
  });

  test('even a publish is tried again when it cannot have arrived', async () => {
    const { stub, gateway } = await setUp({});
    await stub.close();
    const asked = gateway.ask(publish);
    const back = await startStub(healthy, Number(new URL(stub.url).port));
    expect((await asked).data.publishJob).toEqual({ jobState: 'ACTIVE' });
    expect(back.received).toHaveLength(1);
  });

  test.each([
    ['TLS to a port that has none', (url: string) => url.replace('http:', 'https:')],
    ['a name that nobody has', () => 'http://nobody.invalid'],
  ])('%s is errors/service_unavailable', async (_what, address) => {
    const stub = await startStub(healthy);
    const gateway = await gatewayBefore({ url: address(stub.url) }, { environment: { UPSTREAM_TIMEOUT_MS: '5000' } });
    expect(await failureOf(gateway)).toMatchObject({ type: 'errors/service_unavailable', status: 503 });
    expect(stub.received).toEqual([]);
  });
});

describe('a service that answers nonsense', () => {
  test.each<[string, Answer]>([
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
  ])('%s is errors/provider_error', async (_what, answer) => {
    const setup = await setUp({ UPSTREAM_MAX_BYTES: '10000' }, answer);
    expect(await failureOf(setup.gateway)).toMatchObject({ type: 'errors/provider_error', status: 500 });
    expect(setup.stub.received).toHaveLength(1);
    await expectSound(setup);
  });

  test('what is not even HTTP is errors/provider_error', async () => {
    const server: Server = createServer(
      (socket) => void socket.once('data', () => socket.end('SSH-2.0-OpenSSH\r\n\r\n')),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const gateway = await gatewayBefore({ url: `http://127.0.0.1:${port}` });
    expect(await failureOf(gateway)).toMatchObject({ type: 'errors/provider_error', status: 500 });
  });
});

describe('a service in trouble', () => {
  const unavailable: Answer = (_request, response) => json(response, 503, envelope('service_unavailable', 503));

  test('a burst of 503 is not seen by a read', async () => {
    const setup = await setUp({}, times(2, unavailable));
    expect((await setup.gateway.ask(posts)).errors).toEqual([]);
    expect(setup.stub.received).toHaveLength(3);
    await expectSound(setup);
  });

  test('a publish that was answered 503 is not made again', async () => {
    const setup = await setUp({}, unavailable);
    expect(await failureOf(setup.gateway, publish)).toMatchObject({ type: 'errors/service_unavailable' });
    expect(setup.stub.received).toHaveLength(1);
    await expectSound(setup);
  });

  test('Retry-After is waited for', async () => {
    const setup = await setUp(
      {},
      times(1, (_request, response) => json(response, 429, '', { 'retry-after': '1' })),
    );
    const started = performance.now();
    expect((await setup.gateway.ask(posts)).errors).toEqual([]);
    expect(performance.now() - started).toBeGreaterThan(990);
    await expectSound(setup);
  });

  test('the circuit breaker stops asking, capability by capability, and asks again after a while', async () => {
    const { stub, gateway } = await setUp({}, (_request, response) =>
      json(response, 500, envelope('provider_error', 500)),
    );
    for (let n = 0; n < breakerRules.minCalls; n += 1) {
      expect(await failureOf(gateway)).toMatchObject({ type: 'errors/provider_error', status: 500 });
    }
    stub.answer = healthy;
    expect(await failureOf(gateway)).toMatchObject({ type: 'errors/service_unavailable', status: 503 });
    expect(stub.received).toHaveLength(breakerRules.minCalls);
    expect((await gateway.ask(publish)).data.publishJob).toEqual({ jobState: 'ACTIVE' });
    gateway.clock.now = new Date(gateway.clock.now.getTime() + breakerRules.openMs);
    expect((await gateway.ask(posts)).errors).toEqual([]);
    await expectSound({ stub, gateway });
  });

  test('timeouts open it too', async () => {
    const { stub, gateway } = await setUp(hurried, () => {});
    await Promise.all(
      Array.from({ length: breakerRules.minCalls }, (_, n) => failureOf(gateway, posts, { of: `ACo${n}` })),
    );
    const asked = stub.received.length;
    expect(await failureOf(gateway)).toMatchObject({ type: 'errors/service_unavailable' });
    expect(stub.received).toHaveLength(asked);
    gateway.clock.now = new Date(gateway.clock.now.getTime() + breakerRules.openMs);
    await expectSound({ stub, gateway });
  });

  test('what would only wait to time out is refused at once', async () => {
    const { stub, gateway } = await setUp({ UPSTREAM_CONNECTIONS: '1', UPSTREAM_TIMEOUT_MS: '1000' }, () => {});
    const started = performance.now();
    const failures = await Promise.all(
      Array.from({ length: 60 }, async (_, n) => ({
        ...(await failureOf(gateway, posts, { of: `ACo${n}` })),
        ms: performance.now() - started,
      })),
    );
    const refused = failures.filter(({ type }) => type === 'errors/service_unavailable');
    expect(refused).toHaveLength(60 - 33);
    expect(Math.max(...refused.map(({ ms }) => ms))).toBeLessThan(1_000);
    expect(failures.filter(({ type }) => type === 'errors/request_timeout')).toHaveLength(33);
    gateway.clock.now = new Date(gateway.clock.now.getTime() + breakerRules.openMs);
    await expectSound({ stub, gateway });
  });
});

describe('a thousand requests at once', () => {
  const crowd = (gateway: Faced, of: (n: number) => string, key?: (n: number) => string) =>
    Promise.all(
      Array.from({ length: 1_000 }, async (_, n) => {
        const { data, errors } = await gateway.ask(posts, { of: of(n) }, key?.(n));
        expect(errors).toEqual([]);
        expect(data.posts.nodes).toEqual([{ providerId: of(n) }]);
      }),
    );

  test('are answered over the connections there are, each with its own', async () => {
    const setup = await setUp({ UPSTREAM_CONNECTIONS: '40' });
    await crowd(setup.gateway, (n) => `ACo${n}`);
    expect(setup.stub.received).toHaveLength(1_000);
    expect(setup.stub.connections).toBeLessThanOrEqual(40);
    await expectSound(setup);
  });

  test('of the same key for the same page are few calls; those of other keys are their own', async () => {
    const setup = await setUp({ UPSTREAM_CONNECTIONS: '40' }, (request, response) => {
      setTimeout(healthy, 20, request, response);
    });
    await crowd(
      setup.gateway,
      () => 'ACo1',
      (n) => `key-${n % 4}`,
    );
    const ofKey = Map.groupBy(setup.stub.received, ({ headers }) => headers['x-api-key']);
    expect([...ofKey.keys()].sort()).toEqual(['key-0', 'key-1', 'key-2', 'key-3']);
    expect(setup.stub.received.length).toBeLessThan(400);
    await expectSound(setup);
  });

  test('of which half break off and some hang leave nothing behind', async () => {
    const setup = await setUp({ UPSTREAM_TIMEOUT_MS: '3000', UPSTREAM_CONNECTIONS: '40' });
    const faults: Answer[] = [healthy, breakOff, (_request, response) => json(response, 200, '{'), healthy];
    const storm = async () => {
      setup.stub.answer = (request, response) =>
        faults[setup.stub.received.length % faults.length]?.(request, response);
      await Promise.all(Array.from({ length: 400 }, (_, n) => setup.gateway.ask(posts, { of: `ACo${n}` })));
      setup.stub.received.length = 0;
      setup.gateway.log.length = 0;
      setup.gateway.clock.now = new Date(setup.gateway.clock.now.getTime() + 60_000);
    };
    await storm();
    const [heap, ticking] = [settledHeap(), timers()];
    for (let round = 0; round < 2; round += 1) await storm();
    expect(settledHeap() - heap).toBeLessThan(4 * 1024 * 1024);
    expect(timers()).toBeLessThanOrEqual(ticking + 2);
    expect(setup.stub.sockets.size).toBeLessThanOrEqual(40);
    await expectSound(setup);
  });
});

/** Bytes of the heap that are in use, without garbage. */
function settledHeap(): number {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  for (let n = 0; n < 3; n += 1) collect();
  return process.memoryUsage().heapUsed;
}
