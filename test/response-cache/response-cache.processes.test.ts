/** Several processes: a command of one invalidates what the others have cached in Redis; a cache in memory is of one that is alone. */
import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createRedisStore, type RedisStoreOptions } from '../../src/cache/redis-store.ts';
import { unavailable } from '../../src/cache/response-store.ts';
import { seeded } from '../support/backends.ts';
import { ask, cachedReads, untilCached } from '../support/cached-responses.ts';
import { databases } from '../support/databases.ts';
import { startGateway } from '../support/gateway.ts';
import { documentOf, furnish } from '../support/operations.ts';
import { freePort } from '../support/reverse-proxy.ts';
import { redisUrl } from '../support/servers.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

const query = '{ accounts { nodes { accountId name } } }';
const silent = pino({ level: 'silent' });

/** Gateways on one database, which end with the test. */
async function startThree(dialect: (typeof databases)[number], environment: Readonly<Record<string, string>>) {
  const database = await dialect.withSchema();
  const start = (more: Readonly<Record<string, string>>) =>
    startGateway({ environment: { DATABASE_URL: database.url, ...more } });
  const gateways = [await start(environment), await start(environment), await start({})] as const;
  onTestFinished(async () => {
    for (const gateway of gateways) await gateway.close();
    await database.drop();
  });
  const [first, second, plain] = gateways;
  return { first, second, plain, workspace: seeded(first, first.address).workspace };
}

const [sqlite] = databases as readonly [(typeof databases)[number]];

describe.each(redisUrl === undefined ? [] : databases)('with Redis, on $name', (dialect) => {
  const environment = { RESPONSE_CACHE: 'redis', REDIS_URL: redisUrl ?? '' };

  test('a command of one process invalidates the responses of all', async () => {
    const { first, second, plain, workspace } = await startThree(dialect, environment);
    const { key } = await workspace();
    for (const { address } of [first, second]) await untilCached(address, key);
    const owner = await workspace();
    const named = await furnish(owner);
    const reads = cachedReads.map(({ document }) => document(named));
    const prime = async () => {
      for (const { address } of [first, second, first, second])
        for (const read of reads) await ask(address, owner.key, read);
      for (const { address } of [first, second])
        for (const read of reads) expect((await ask(address, owner.key, read)).cache).toBe('hit');
    };
    for (const field of ['editJob', 'createJobDraft', 'publishJob', 'deleteWebhook']) {
      await prime();
      await ask(first.address, owner.key, documentOf(`Mutation.${field}`, named));
      for (const read of reads) {
        const fresh = (await ask(plain.address, owner.key, read)).body;
        expect((await ask(first.address, owner.key, read)).body).toBe(fresh);
        expect((await ask(second.address, owner.key, read)).body).toBe(fresh);
      }
    }
  }, 60_000);
});

describe('in memory', () => {
  const memory = { RESPONSE_CACHE: 'memory' };
  const refusal = /set RESPONSE_CACHE=redis for both/;

  async function startIn(environment: Readonly<Record<string, string>>, DATABASE_URL: string) {
    const gateway = await startGateway({ environment: { DATABASE_URL, ...environment } });
    onTestFinished(gateway.close);
    return gateway;
  }

  test.each([
    ['a gateway that caches', memory, {}],
    ['a gateway, beside one that caches', {}, memory],
    ['two that cache', memory, memory],
  ])(
    '%s starts only when the other has ended',
    async (_, second, first) => {
      const database = await sqlite.withSchema();
      onTestFinished(database.drop);
      const other = await startIn(first, database.url);
      await expect(startIn(second, database.url)).rejects.toThrow(refusal);
      await other.close();
      await startIn(second, database.url);
    },
    60_000,
  );
});

describe.runIf(redisUrl !== undefined)('Redis', () => {
  const server = redisUrl ?? '';

  const connect = (options: Partial<RedisStoreOptions> = {}) => {
    const redis = createRedisStore({ url: server, installation: 'test', randomBytes, logger: silent, ...options });
    onTestFinished(() => redis.close());
    return redis;
  };

  async function store() {
    const redis = connect();
    const [tenant, key] = [randomBytes(8).toString('hex'), randomBytes(8).toString('hex')];
    await expect.poll(async () => (await redis.get(tenant, key)).generation).not.toBeNull();
    return { redis, tenant, key };
  }
  const textOf = (body: Uint8Array | null) => (body === null ? null : Buffer.from(body).toString());

  test('a response is found until it expires', async () => {
    const { redis, tenant, key } = await store();
    const generation = (await redis.get(tenant, key)).generation as string;
    expect(redis.set({ tenant, key, generation, body: Buffer.from('{"data":"ü"}'), lifetimeMs: 500 })).toBe(true);
    expect(textOf((await redis.get(tenant, key)).body)).toBe('{"data":"ü"}');
    await expect.poll(async () => (await redis.get(tenant, key)).body).toBeNull();
  });

  test('a response that was begun before a change is not found after it', async () => {
    const { redis, tenant, key } = await store();
    const generation = (await redis.get(tenant, key)).generation as string;
    await redis.invalidate(tenant);
    redis.set({ tenant, key, generation, body: Buffer.from('old'), lifetimeMs: 60_000 });
    const found = await redis.get(tenant, key);
    expect(found.body).toBeNull();
    expect(found.generation).not.toBe(generation);
  });

  test('a generation that Redis forgets does not come back', async () => {
    const { redis, tenant, key } = await store();
    const generation = (await redis.get(tenant, key)).generation as string;
    redis.set({ tenant, key, generation, body: Buffer.from('old'), lifetimeMs: 60_000 });
    expect(textOf((await redis.get(tenant, key)).body)).toBe('old');
    const client = new Redis(server);
    await client.del(`postern:test:generation:${tenant}`);
    client.disconnect();
    const found = await redis.get(tenant, key);
    expect(found.body).toBeNull();
    expect(found.generation).not.toBe(generation);
  });

  test('two installations share neither responses nor invalidations', async () => {
    const { redis, tenant, key } = await store();
    const other = connect({ installation: 'other' });
    await expect.poll(async () => (await other.get(tenant, key)).generation).not.toBeNull();
    const generation = (await redis.get(tenant, key)).generation as string;
    redis.set({ tenant, key, generation, body: Buffer.from('ours'), lifetimeMs: 60_000 });
    expect((await other.get(tenant, key)).body).toBeNull();
    await other.invalidate(tenant);
    expect(textOf((await redis.get(tenant, key)).body)).toBe('ours');
  });

  test('during an outage operations are executed, and responses that became stale meanwhile are not found afterwards', async () => {
    const port = await freePort();
    let proxy = await startTcpProxy(server, port);
    const url = proxy.through(server);
    const gateway = await startGateway({ environment: { RESPONSE_CACHE: 'redis', REDIS_URL: url } });
    onTestFinished(() => gateway.close());
    const owner = await seeded(gateway, gateway.address).workspace();
    const named = await furnish(owner);
    const read = `{ jobPosting(jobId: "${named.draftId}") { description } }`;
    await untilCached(gateway.address, owner.key);
    await ask(gateway.address, owner.key, read);
    expect((await ask(gateway.address, owner.key, read)).cache).toBe('hit');
    await proxy.close();
    const away = await ask(gateway.address, owner.key, read);
    expect(away).toMatchObject({ status: 200, cache: 'fwd=bypass' });
    expect(away.body).toBe('{"data":{"jobPosting":{"description":null}}}');
    const edited = await ask(gateway.address, owner.key, documentOf('Mutation.editJob', named));
    expect(edited.body).toContain('PnetJobPostingEdited');
    proxy = await startTcpProxy(server, port);
    onTestFinished(() => proxy.close());
    const changed = '{"data":{"jobPosting":{"description":"changed"}}}';
    const bodies = new Set<string>();
    const cache = async () => {
      const came = await ask(gateway.address, owner.key, read);
      bodies.add(came.body);
      return came.cache;
    };
    await expect.poll(cache).toBe('hit');
    expect([...bodies]).toEqual([changed]);
    const told = gateway.log.flatMap(({ msg }) => (/^Redis /.test(String(msg)) ? [msg] : []));
    expect(told.slice(-2)).toEqual(['Redis does not respond', 'Redis responds again']);
    expect(gateway.log.find(({ cache }) => cache === 'unavailable')).toBeDefined();
  });

  test('while a server does not respond, one lookup waits for a moment, and then none waits for a second', async () => {
    const proxy = await startTcpProxy(server);
    onTestFinished(() => proxy.close());
    const clock = { ms: 0 };
    const redis = connect({ url: proxy.through(server), clock: () => clock.ms });
    const isWaiting = () =>
      Promise.race([Promise.resolve(redis.get('t', 'k')).then(() => false), new Promise((r) => setImmediate(r, true))]);
    await expect.poll(async () => (await redis.get('t', 'k')).generation).not.toBeNull();
    proxy.silenceAll();
    expect(await redis.get('t', 'k')).toEqual(unavailable);
    for (const ms of [0, 500, 999]) {
      clock.ms = ms;
      expect(await isWaiting(), `after ${ms} ms`).toBe(false);
      expect(redis.set({ tenant: 't', key: 'k', generation: 'g', body: 'b', lifetimeMs: 1_000 })).toBe(false);
    }
    clock.ms = 1_000;
    expect(await isWaiting()).toBe(true);
  });

  test('operations are executed while a server does not respond', async () => {
    const proxy = await startTcpProxy(server);
    onTestFinished(() => proxy.close());
    const gateway = await startGateway({ environment: { RESPONSE_CACHE: 'redis', REDIS_URL: proxy.through(server) } });
    onTestFinished(() => gateway.close());
    const { key } = await gateway.workspace();
    await untilCached(gateway.address, key);
    proxy.silenceAll();
    for (let count = 0; count < 3; count += 1) {
      expect(await ask(gateway.address, key, query)).toMatchObject({ status: 200, cache: 'fwd=bypass' });
    }
  });
});
