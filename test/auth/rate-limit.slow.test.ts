/** Rate limits on every operation of both faces, shared by the processes of one database. The clock is the test's. */
import fc from 'fast-check';
import { getIntrospectionQuery } from 'graphql';
import pg from 'pg';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { memoryRateLimits } from '../../src/auth/memory-rate-limits.ts';
import { createRateLimits } from '../../src/auth/rate-limit.ts';
import { databaseRateLimits } from '../../src/auth/rate-limit-rows.ts';
import type { RateLimitStore } from '../../src/auth/rate-limit-settlement.ts';
import { endpoints } from '../../src/rest/endpoints.ts';
import { openDatabase } from '../../src/store/database.ts';
import { databases } from '../support/databases.ts';
import { type Gateway, type GatewayOptions, graphql, startGateway, type TestWorkspace } from '../support/gateway.ts';
import { fieldOperations } from '../support/operations.ts';
import { createTriggerWebhookAt, createWebhookAt } from '../support/webhook-creation.ts';

const named = { accountId: 'a', draftId: '1', webhookId: 'w', triggerId: 't', deliveryId: 'd' };
const wrongKey = `postern_${'x'.repeat(43)}`;

async function start(options: GatewayOptions & { readonly second?: boolean } = {}, dialect = databases[0]) {
  const place = await dialect?.withSchema();
  if (place === undefined) throw new Error('there is no database');
  const clock = { now: new Date('2026-11-20T12:00:00Z') };
  const environment = { DATABASE_URL: place.url, ...options.environment };
  // Nothing is sent: the tests are about what is accepted.
  const delivery = { limits: { slots: 0 } };
  const gateway = await startGateway({ ...options, clock, environment, delivery });
  const second = options.second ? await startGateway({ ...options, clock, environment, delivery }) : gateway;
  onTestFinished(async () => {
    if (second !== gateway) await second.close();
    await gateway.close();
    await place.drop();
  });
  const pass = async (seconds: number) => {
    clock.now = new Date(clock.now.getTime() + seconds * 1_000);
    // The server has a clock of its own: what is later for it is earlier in its rows.
    if (place.location.kind === 'postgres') {
      await gateway.app.database
        .updateTable('rate_limits')
        .set(({ eb }) => ({ full_at: eb('full_at', '-', seconds * 1_000_000) }))
        .execute();
    }
  };
  return { gateway, second, pass, workspace: await gateway.workspace() };
}

const who = '{ viewer { keyId } }';
const refused = { code: 'SERVICE_UNAVAILABLE', status: 503, requestId: expect.any(String) };
const refusedByRest = { type: 'errors/service_unavailable', status: 503, instance: expect.any(String) };

describe.each(databases)('requests of a key on $name', (dialect) => {
  test.each([5, 200])('two processes share a limit of %i', async (limit) => {
    const { gateway, second, pass, workspace } = await start(
      { environment: { REQUESTS_PER_MINUTE: String(limit) }, second: true },
      dialect,
    );
    const granted = async (requests: number) => {
      let count = 0;
      for (let n = 0; n < requests; n += 1) {
        const { address } = n % 2 === 0 ? gateway : second;
        if ((await graphql(address, workspace.key, who)).status === 200) count += 1;
      }
      return count;
    };
    // Each process may grant a tenth before the other hears of it.
    const slack = limit < 10 ? 0 : 2 * (limit / 10 + 1);
    const first = await granted(limit * 2);
    expect(first).toBeGreaterThanOrEqual(limit);
    expect(first).toBeLessThanOrEqual(limit + slack);
    await pass(30);
    const later = await granted(limit * 2);
    expect(later).toBeGreaterThanOrEqual(Math.floor(limit / 2) - slack);
    expect(later).toBeLessThanOrEqual(limit / 2 + slack);
  });
});

describe('requests of a key', () => {
  test('beyond the limit are refused at every root field and endpoint, with Retry-After; other keys and probes are served', async () => {
    const { gateway, workspace, pass } = await start({ environment: { REQUESTS_PER_MINUTE: '2' } });
    const { headers } = await graphql(gateway.address, workspace.key, who);
    expect(headers.get('ratelimit-policy')).toBe('"requests";q=2;w=60');
    expect(headers.get('ratelimit')).toBe('"requests";r=1;t=30');
    await graphql(gateway.address, workspace.key, who);
    for (const { field, document } of fieldOperations) {
      const seen = await graphql(gateway.address, workspace.key, document(named));
      const { status, data, errors } = seen;
      expect({ field, status, data }).toEqual({ field, status: 503, data: null });
      expect(errors[0]?.extensions).toMatchObject(refused);
      expect(seen.headers.get('retry-after')).toBe('30');
      expect(seen.headers.get('ratelimit')).toBe('"requests";r=0;t=60');
    }
    for (const { name, method, path } of endpoints) {
      const response = await fetch(`${gateway.address}/v1${path.replaceAll(/\{\w+\}/g, '1')}`, {
        method,
        headers: { 'x-api-key': workspace.key },
      });
      expect({ name, envelope: await response.json() }).toMatchObject({ name, envelope: refusedByRest });
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '30']);
    }
    const other = await gateway.workspace();
    expect((await graphql(gateway.address, other.key, who)).status).toBe(200);
    for (const probe of ['/livez', '/readyz']) {
      const response = await fetch(gateway.address + probe, { headers: { 'x-api-key': workspace.key } });
      expect([response.status, response.headers.get('ratelimit')]).toEqual([200, null]);
    }
    // A limit that does its work is no error of the gateway.
    expect(gateway.log.filter(({ level }) => Number(level) > 30)).toEqual([]);
    const refusals = gateway.log.filter(({ msg }) => msg === 'request refused');
    expect(refusals).toHaveLength(fieldOperations.length + endpoints.length);
    for (const line of refusals) {
      expect(line).toMatchObject({
        type: 'errors/service_unavailable',
        detail: expect.stringContaining('Try again in'),
      });
      expect(line).not.toHaveProperty('err');
    }
    await pass(30);
    expect((await graphql(gateway.address, workspace.key, who)).status).toBe(200);
    expect((await graphql(gateway.address, workspace.key, who)).status).toBe(503);
  });

  test('have no limit where it is 0', async () => {
    const { gateway, workspace } = await start({ environment: { REQUESTS_PER_MINUTE: '0' } });
    expect((await graphql(gateway.address, workspace.key, who)).headers.get('ratelimit')).toBeNull();
  });
});

describe('wrong keys', () => {
  const ask = (address: string, key: string, forwardedFor?: string) =>
    fetch(`${address}/v1/webhooks`, {
      headers: { 'x-api-key': key, ...(forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }) },
    });
  const statuses = async (address: string, sources: readonly (string | undefined)[]) => {
    const seen = [];
    for (const source of sources) seen.push((await ask(address, wrongKey, source)).status);
    return seen;
  };

  test('are counted by the address of the connection, whatever a header says; a right key is served', async () => {
    const { gateway, workspace, pass } = await start({ environment: { KEYLESS_PER_MINUTE: '3' } });
    const sources = ['203.0.113.1', '203.0.113.2', '203.0.113.3', '203.0.113.4', undefined];
    expect(await statuses(gateway.address, sources)).toEqual([401, 401, 401, 503, 503]);
    const last = await ask(gateway.address, wrongKey);
    expect(last.headers.get('retry-after')).toBe('20');
    expect(await last.json()).toMatchObject(refusedByRest);
    expect((await graphql(gateway.address, wrongKey, who)).status).toBe(503);
    expect((await ask(gateway.address, workspace.key)).status).toBe(200);
    await pass(20);
    expect(await statuses(gateway.address, [undefined, undefined])).toEqual([401, 503]);
  });

  test('are counted by the client that a trusted proxy names; a /64 of IPv6 is one client', async () => {
    const environment = { KEYLESS_PER_MINUTE: '1', TRUST_PROXY: '127.0.0.0/8' };
    const { gateway } = await start({ environment });
    const sources = ['203.0.113.1', '203.0.113.2', '203.0.113.1', '9.9.9.9, 203.0.113.1', '::ffff:203.0.113.1'];
    expect(await statuses(gateway.address, sources)).toEqual([401, 401, 503, 503, 503]);
    const blocks = ['2001:db8::1', '2001:db8::2', '2001:db8:0:1::1', '2001:DB8:0:0:ffff::', 'nonsense', 'nonsense'];
    expect(await statuses(gateway.address, blocks)).toEqual([401, 503, 401, 503, 401, 503]);
  });
});

describe('requests for the schema', () => {
  const introspections = [
    ['an introspection of a tool', getIntrospectionQuery()],
    ['an introspection of another kind', '{ __schema { types { name } } t: __type(name: "Post") { kind } }'],
    ['the type of the root', '{ __typename }'],
  ] as const;

  test.each(introspections)('%s is counted by the address, and by the key if it has one', async (_what, query) => {
    const { gateway, workspace, pass } = await start({ environment: { KEYLESS_PER_MINUTE: '3' } });
    const ask = (key?: string) => graphql(gateway.address, key, query);
    const seen = [];
    for (const key of [undefined, '', undefined, undefined, '']) seen.push((await ask(key)).status);
    expect(seen).toEqual([200, 200, 200, 503, 503]);
    const { headers, data, errors } = await ask();
    expect([headers.get('retry-after'), headers.get('ratelimit'), data]).toEqual(['20', '"keyless";r=0;t=60', null]);
    expect(errors[0]?.extensions).toMatchObject(refused);
    const known = await ask(workspace.key);
    expect([known.status, known.headers.get('ratelimit-policy')]).toEqual([200, '"requests";q=60000;w=60']);
    await pass(20);
    expect([(await ask()).status, (await ask()).status]).toEqual([200, 503]);
  });

  test.each(introspections)('%s with a wrong key is refused, and counted as such', async (_what, query) => {
    const { gateway } = await start({ environment: { KEYLESS_PER_MINUTE: '2' } });
    const ask = (key?: string) => graphql(gateway.address, key, query);
    const { status, data, errors } = await ask(wrongKey);
    expect([status, data]).toEqual([401, null]);
    expect(errors[0]?.extensions).toMatchObject({ code: 'INVALID_CREDENTIALS', status: 401 });
    expect([(await ask(wrongKey)).status, (await ask(wrongKey)).status]).toEqual([401, 503]);
    expect((await ask()).status).toBe(200);
  });

  test('have no limit where it is 0', async () => {
    const { gateway } = await start({ environment: { KEYLESS_PER_MINUTE: '0' } });
    expect((await graphql(gateway.address, undefined, '{ __typename }')).headers.get('ratelimit')).toBeNull();
  });
});

describe('requests that are never executed', () => {
  const documents = [
    ['no document', '{'],
    ['an invalid document', '{ nothing }'],
    ['a document that needs a key', who],
    [
      'a document beyond a limit',
      '{ a { a { a { a { a { a { a { a { a { a { a { a { a { a { a { a { a } } } } } } } } } } } } } } } } }',
    ],
    ['no operation', 'fragment F on Query { viewer { keyId } }'],
    ['no text', ''],
  ] as const;

  test.each(documents)('%s is counted by the address, by the wrong key or by the right one', async (_what, query) => {
    const limits = { KEYLESS_PER_MINUTE: '1', REQUESTS_PER_MINUTE: '1' };
    const { gateway, workspace } = await start({ environment: limits });
    for (const key of [undefined, wrongKey, workspace.key]) {
      expect((await graphql(gateway.address, key, query)).status).toBeLessThan(500);
      const { status, errors } = await graphql(gateway.address, key, query);
      expect({ status, extensions: errors[0]?.extensions }).toMatchObject({ status: 503, extensions: refused });
    }
  });
});

test.each(databases)('a clock that jumped a day ahead and back locks nobody out on $name', async (dialect) => {
  const { gateway, second, pass, workspace } = await start(
    { environment: { REQUESTS_PER_MINUTE: '5' }, second: true },
    dialect,
  );
  const statuses = async (address: string) => {
    const seen = [];
    for (let n = 0; n < 6; n += 1) seen.push((await graphql(address, workspace.key, who)).status);
    return seen;
  };
  await pass(86_400);
  await statuses(gateway.address);
  await pass(-86_400);
  expect(await statuses(gateway.address)).toEqual([200, 200, 200, 200, 200, 503]);
  expect(await statuses(second.address)).toEqual(Array(6).fill(503));
});

describe.each(databases)('what a workspace has delivered on $name', (dialect) => {
  const emit = (accountId: string, count = 1) =>
    `mutation { ${Array.from(
      { length: count },
      (_, n) =>
        `e${n}: emitEvent(input: { accountId: "${accountId}", event: NEW_RELATION }) { ... on EventEmitted { eventId } }`,
    ).join(' ')} }`;
  const rowsOf = async ({ app }: Gateway, table: 'events' | 'deliveries', { workspaceId }: TestWorkspace) =>
    (await app.database.selectFrom(table).select('id').where('workspace_id', '=', workspaceId).execute()).length;
  const typesOf = ({ errors }: Awaited<ReturnType<typeof graphql>>) => errors.map(({ extensions }) => extensions.code);

  test('events, in one request or in many, by all processes', async () => {
    const { gateway, second, workspace, pass } = await start(
      { environment: { EVENTS_PER_SECOND: '1' }, second: true },
      dialect,
    );
    const accountId = await workspace.account();
    const many = await graphql(gateway.address, workspace.key, emit(accountId, 15));
    expect(typesOf(many)).toEqual(Array(5).fill('SERVICE_UNAVAILABLE'));
    expect(await rowsOf(gateway, 'events', workspace)).toBe(10);
    // What was stored is told, and a refused event is told at its own path.
    const told = Object.values(many.data).map((event) => event !== null);
    expect(told).toEqual([...Array(10).fill(true), ...Array(5).fill(false)]);
    expect(many.errors.map(({ path }) => path)).toEqual([10, 11, 12, 13, 14].map((n) => [`e${n}`]));
    expect(many.headers.get('retry-after')).toBe('1');
    expect(many.headers.get('ratelimit')).toBe('"events";r=0;t=10');
    expect(typesOf(await graphql(second.address, workspace.key, emit(accountId)))).toHaveLength(1);
    const other = await gateway.workspace();
    expect(typesOf(await graphql(gateway.address, other.key, emit(await other.account())))).toEqual([]);
    await pass(2);
    expect(typesOf(await graphql(second.address, workspace.key, emit(accountId, 3)))).toHaveLength(1);
    expect(await rowsOf(gateway, 'events', workspace)).toBe(12);
  });

  test('deliveries: many webhooks make an event expensive, and redelivering costs the same', async () => {
    const { gateway, workspace, pass } = await start({ tuning: { rateLimits: { deliveriesPerSecond: 1 } } }, dialect);
    const accountId = await workspace.account();
    const ids: string[] = [];
    for (let n = 0; n < 4; n += 1) ids.push(await createWebhookAt(gateway.address, workspace.key));
    // Twelve deliveries of ten: the third event leaves a debt of two.
    expect(typesOf(await graphql(gateway.address, workspace.key, emit(accountId, 5)))).toHaveLength(2);
    expect(await rowsOf(gateway, 'deliveries', workspace)).toBe(12);
    await pass(2);
    expect(typesOf(await graphql(gateway.address, workspace.key, emit(accountId)))).toHaveLength(1);
    await pass(10);
    await gateway.app.database.updateTable('webhooks').set({ enabled: 1 }).execute();
    await gateway.app.database.updateTable('deliveries').set({ state: 'failed', claim_token: null }).execute();
    const redeliver = (id: string) =>
      `mutation { redeliverWebhookDeliveries(input: { webhookId: "${id}", state: FAILED }) { ... on DeliveriesRedelivered { count } } }`;
    const seen = [];
    for (const id of ids) seen.push(typesOf(await graphql(gateway.address, workspace.key, redeliver(id))).length);
    expect(seen).toEqual([0, 0, 0, 0]);
    expect(typesOf(await graphql(gateway.address, workspace.key, redeliver(ids[0] as string)))).toHaveLength(1);
  });

  test('webhooks, of both types, by both faces, created one by one or at once', async () => {
    const { gateway, second, workspace } = await start(
      { environment: { WEBHOOKS_PER_WORKSPACE: '3' }, second: true },
      dialect,
    );
    const bySource = (address: string) =>
      fetch(`${address}/v1/webhooks`, {
        method: 'POST',
        headers: { 'x-api-key': workspace.key, 'content-type': 'application/json' },
        body: JSON.stringify({ source: 'users', request_url: 'https://hooks.example/in' }),
      });
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) => bySource(n % 2 ? gateway.address : second.address)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, ...Array(9).fill(403)]);
    const refusal = { type: 'errors/action_required', status: 403 };
    expect(await (await bySource(gateway.address)).json()).toMatchObject(refusal);
    await expect(createTriggerWebhookAt(gateway.address, workspace.key)).rejects.toThrow('ACTION_REQUIRED');
    const { id } = await gateway.app.database.selectFrom('webhooks').select('id').executeTakeFirstOrThrow();
    await fetch(`${gateway.address}/v1/webhooks/${id}`, { method: 'DELETE', headers: { 'x-api-key': workspace.key } });
    await createTriggerWebhookAt(gateway.address, workspace.key);
    await expect(createWebhookAt(gateway.address, workspace.key)).rejects.toThrow('ACTION_REQUIRED');
    await createWebhookAt(gateway.address, (await gateway.workspace()).key);
  });
});

test('a gateway in front gets Retry-After, and still serves other keys', async () => {
  const { gateway, workspace } = await start({ environment: { REQUESTS_PER_MINUTE: '1' } });
  const front = await startGateway({ clock: gateway.clock, environment: { UPSTREAM_URL: gateway.address } });
  onTestFinished(() => front.close());
  const list = (key: string) => fetch(`${front.address}/v1/webhooks`, { headers: { 'x-api-key': key } });
  expect((await list(workspace.key)).status).toBe(200);
  // More failures than the circuit breakers bear.
  for (let n = 0; n < 50; n += 1) {
    const response = await list(workspace.key);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '60']);
  }
  expect((await list((await gateway.workspace()).key)).status).toBe(200);
});

describe('a limit', () => {
  const logger = pino({ level: 'silent' });
  const policy = { name: 'requests', quota: 1_000, seconds: 60, what: 'requests' };
  let now = new Date('2026-11-20T12:00:00Z');

  test('reads a bucket from the store once, then after each tenth of it or each second', async () => {
    let calls = 0;
    const store: RateLimitStore = {
      async add(grants) {
        calls += 1;
        return new Map([...grants].map(([id, grant]) => [id, grant]));
      },
    };
    const limit = createRateLimits({ store, now: () => now, logger }).limit(policy);
    for (let n = 0; n < 100; n += 1) await limit.take('one');
    expect(calls).toBe(1);
    for (let n = 0; n < 100; n += 1) await limit.take('one');
    expect(calls).toBe(2);
    now = new Date(now.getTime() + 1_000);
    for (let n = 0; n < 50; n += 1) await limit.take('one');
    expect(calls).toBe(3);
  });

  test('runs up a debt of at most two minutes, however much was used', async () => {
    const limit = createRateLimits({ store: memoryRateLimits(), now: () => now, logger }).limit({
      ...policy,
      seconds: 10,
    });
    await limit.take('one');
    for (let n = 0; n < 100; n += 1) limit.charge('one', 1_000_000);
    await expect(limit.take('one', 0)).rejects.toThrow('Try again in');
    now = new Date(now.getTime() + 121_000);
    expect(await limit.take('one', 0)).toMatchObject({ ratelimit: '"requests";r=1000;t=0' });
  });

  test('takes what was used at once into a debt of one bucket at most', async () => {
    const ofTen = { ...policy, seconds: 10 };
    const limit = createRateLimits({ store: memoryRateLimits(), now: () => now, logger }).limit(ofTen);
    await limit.take('one');
    limit.charge('one', 1_000_000);
    await expect(limit.take('one', 0)).rejects.toThrow('Try again in 1 second.');
  });

  test('is enforced by the process alone while the store is unavailable', async () => {
    const store: RateLimitStore = { add: () => Promise.reject(new Error('the database is away')) };
    const limit = createRateLimits({ store, now: () => now, logger }).limit({ ...policy, quota: 5 });
    const takes = await Promise.allSettled(Array.from({ length: 20 }, () => limit.take('one')));
    expect(takes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
  });

  /** A store in memory, which is as slow as the test wants. */
  function sharedStore(delay: () => Promise<void> = async () => {}) {
    const fullAt = new Map<string, number>();
    const add: RateLimitStore['add'] = async (grants, at) => {
      await delay();
      for (const [id, grant] of grants) fullAt.set(id, Math.max(fullAt.get(id) ?? 0, at) + grant);
      const stored = new Map([...grants.keys()].map((id) => [id, (fullAt.get(id) ?? at) - at]));
      await delay();
      return stored;
    };
    /** Seconds until the bucket of a subject is full, as other processes see it. */
    const used = (subject: string) => ((fullAt.get(`requests:${subject}`) ?? 0) - now.getTime() * 1_000) / 1_000_000;
    return { store: { add }, used };
  }
  const limitOn = (store: RateLimitStore, quota: number, lazy = false) =>
    createRateLimits({ store, now: () => now, logger }).limit({ ...policy, quota, lazy });
  const ticks = async (count: number) => {
    for (let n = 0; n < count; n += 1) await null;
  };

  test('of fewer than ten is exact, however requests of two processes and their statements overlap', async () => {
    const delays = fc.array(fc.nat(12), { minLength: 8, maxLength: 60 });
    const run = async (statements: readonly number[], requests: readonly number[]) => {
      let n = 0;
      const { store } = sharedStore(() => ticks(statements[n++ % statements.length] ?? 0));
      const processes = [limitOn(store, 5), limitOn(store, 5)];
      const takes = await Promise.allSettled(
        requests.map(async (wait, index) => {
          await ticks(wait * 3);
          await processes[index % 2]?.take('one');
        }),
      );
      return takes.filter(({ status }) => status === 'fulfilled').length;
    };
    await fc.assert(
      fc.asyncProperty(delays, delays, async (statements, requests) => {
        expect(await run(statements, requests)).toBeLessThanOrEqual(5);
      }),
    );
    expect(await run([1], Array(40).fill(0))).toBeGreaterThanOrEqual(1);
  });

  test('gets refused units back, so that other processes can grant them', async () => {
    const { store, used } = sharedStore();
    const [first, second] = [limitOn(store, 5), limitOn(store, 5)];
    for (let n = 0; n < 4; n += 1) await first.take('one');
    await second.take('one');
    await expect(first.take('one')).rejects.toThrow('Try again in');
    await expect.poll(() => used('one')).toBe(60);
  });

  test('waits a second for a store that hangs, then counts for itself, and settles when the store is back', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const hang = Promise.withResolvers<void>();
    const { store, used } = sharedStore(() => hang.promise);
    const limit = limitOn(store, 5);
    const seen: string[] = [];
    const first = Promise.resolve(limit.take('one')).then(() => seen.push('first'));
    await vi.advanceTimersByTimeAsync(999);
    expect(seen).toEqual([]);
    // And what has arrived is read.
    await vi.advanceTimersByTimeAsync(2);
    await first;
    for (let n = 0; n < 4; n += 1) await limit.take('one');
    await expect(limit.take('one')).rejects.toThrow('Try again in');
    hang.resolve();
    await vi.advanceTimersByTimeAsync(1);
    await expect(limit.take('one')).rejects.toThrow('Try again in');
    await vi.advanceTimersByTimeAsync(1);
    expect(used('one')).toBe(60);
  });
});

test.each(databases)('a bucket in $name is never more than two minutes ahead', async (dialect) => {
  const place = await dialect.withSchema();
  const database = await openDatabase(place.location);
  onTestFinished(async () => {
    await database.destroy();
    await place.drop();
  });
  const store = databaseRateLimits(database);
  const [now, minute] = [1_800_000_000_000_000, 60_000_000];
  const added = async (amount: number) => (await store.add(new Map([['one', amount]]), now)).get('one') ?? 0;
  expect(await added(10 * minute)).toBe(2 * minute);
  expect(await added(10 * minute)).toBe(2 * minute);
  expect(await added(-minute)).toBeLessThanOrEqual(minute);
});

test('a bucket in memory is added to as in a database, and is never more than two minutes ahead', async () => {
  const store = memoryRateLimits();
  const [now, minute] = [1_800_000_000_000_000, 60_000_000];
  const added = async (amount: number, at = now) => (await store.add(new Map([['one', amount]]), at)).get('one');
  expect(await added(1_000)).toBe(1_000);
  expect(await added(1_000, now + 500)).toBe(1_500);
  expect(await added(-5_000, now + 500)).toBe(0);
  expect(await added(10 * minute)).toBe(2 * minute);
  expect(await added(-minute)).toBe(minute);
  // The clock jumped back.
  expect(await added(1_000, now - 10 * minute)).toBe(1_000);
});

test.skipIf(databases[1] === undefined)('the locked row of a full bucket leaves others settled', async () => {
  const place = await databases[1]?.withSchema();
  if (place === undefined) throw new Error('There is no Postgres');
  const database = await openDatabase(place.location);
  onTestFinished(async () => {
    await database.destroy();
    await place.drop();
  });
  await database.insertInto('rate_limits').values({ id: 'locked', full_at: 1 }).execute();
  const somebody = new pg.Client({ connectionString: place.url });
  await somebody.connect();
  onTestFinished(() => somebody.end());
  await somebody.query('begin; select from rate_limits for update');
  const store = databaseRateLimits(database);
  expect(await store.add(new Map([['other', 1_000]]), 1_800_000_000_000_000)).toEqual(new Map([['other', 1_000]]));
});

test.skipIf(databases[1] === undefined)('processes whose clocks are 12 seconds apart grant what is left', async () => {
  const place = await databases[1]?.withSchema();
  if (place === undefined) throw new Error('There is no Postgres');
  const database = await openDatabase(place.location);
  onTestFinished(async () => {
    await database.destroy();
    await place.drop();
  });
  const limitOf = (seconds: number) =>
    createRateLimits({
      store: databaseRateLimits(database),
      now: () => new Date(Date.now() + seconds * 1_000),
      logger: pino({ level: 'silent' }),
    }).limit({ name: 'events', quota: 100, seconds: 10, what: 'events' });
  const processes = [limitOf(12), limitOf(0), limitOf(-12)];
  for (let n = 0; n < 60; n += 1) expect(await processes[n % 3]?.take('one')).toBeDefined();
});
