/** What a Postgres server can do to a gateway without closing a connection: fall silent, or keep a table locked. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type SeededWorkspace, seeded } from '../support/backends.ts';
import { databases, type TestDatabase } from '../support/databases.ts';
import { type Gateway, type GraphQLResponse, graphql, startGateway } from '../support/gateway.ts';
import { startProcess } from '../support/process.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { testSecret } from '../support/webhooks.ts';

const [, dialect] = databases;

/** The longest time without service after a failover, in milliseconds. */
const longestOutage = 15_000;

async function emptyDatabase() {
  if (dialect === undefined) throw new Error('There is no Postgres');
  const place = await dialect.location();
  onTestFinished(place.drop);
  return place;
}

/** A database behind a proxy, and a gateway that reaches it directly. */
async function databaseBehindProxy() {
  const place = await emptyDatabase();
  const direct = await startGateway({ environment: { DATABASE_URL: place.url } });
  onTestFinished(direct.close);
  const proxy = await startTcpProxy(place.url);
  onTestFinished(proxy.close);
  return { direct, proxy, url: proxy.through(place.url) };
}

/** Lets a gateway open all of its connections. */
async function warm(address: string, key: string): Promise<void> {
  const requests = Array.from({ length: 40 }, () => graphql(address, key, everything));
  for (const { errors } of await Promise.all(requests)) expect(errors).toEqual([]);
}

const everything = `{ viewer { name } accounts(first: 1) { nodes { id } } jobPostings(first: 1) { nodes { id } }
  webhooks(first: 1) { nodes { id } } }`;
const emit = (accountId: string) =>
  `mutation { emitEvent(input: { accountId: "${accountId}", event: NEW_RELATION }) { __typename } }`;

const typesOf = ({ errors }: GraphQLResponse) => errors.map(({ extensions }) => extensions.code);

test.skipIf(dialect === undefined)('a server that is away costs one line, and one when it is back', async () => {
  const place = await emptyDatabase();
  const first = await startTcpProxy(place.url);
  const url = first.through(place.url);
  const gateway = await startGateway({ environment: { DATABASE_URL: url } });
  onTestFinished(gateway.close);
  const told = (text: string) => gateway.log.filter(({ msg }) => String(msg).startsWith(text));
  const { key } = await gateway.workspace();
  await warm(gateway.address, key);
  await first.close();
  const since = performance.now();
  await expect.poll(() => told('the database cannot be used')).toHaveLength(1);
  // Each loop has failed several times.
  await expect.poll(() => performance.now() - since).toBeGreaterThan(5_000);
  const stacks = gateway.log.filter(({ err }) => err !== undefined).map(({ msg }) => msg);
  expect(stacks.length).toBeLessThan(3);
  const second = await startTcpProxy(place.url, Number(new URL(url).port));
  onTestFinished(second.close);
  await expect.poll(() => told('the database can be used again')).toHaveLength(1);
  await expect.poll(async () => (await fetch(`${gateway.address}/readyz`)).status).toBe(200);
  expect(told('the database cannot be used')).toHaveLength(1);
  expect(gateway.log.filter(({ err }) => err !== undefined)).toHaveLength(stacks.length);
});

describe.skipIf(dialect === undefined)('a Postgres connection that falls silent', () => {
  test('is closed, and service goes on over new ones; notifications of other processes arrive again', async () => {
    const { direct, proxy, url } = await databaseBehindProxy();
    const gateway = await startGateway({ environment: { DATABASE_URL: url } });
    onTestFinished(gateway.close);
    const space = await direct.workspace();
    const accountId = await space.account();
    await warm(gateway.address, space.key);
    proxy.silence();
    const since = performance.now();
    let response: GraphQLResponse;
    do {
      response = await graphql(gateway.address, space.key, everything);
      // Meanwhile nothing is reported as a mistake of the gateway.
      expect(new Set(typesOf(response))).toEqual(
        response.errors.length === 0 ? new Set() : new Set(['SERVICE_UNAVAILABLE']),
      );
    } while (response.errors.length > 0);
    expect(performance.now() - since).toBeLessThan(longestOutage);
    await warm(gateway.address, space.key);
    expect((await fetch(`${gateway.address}/readyz`)).status).toBe(200);

    const stop = new AbortController();
    const context = { caller: { workspaceId: space.workspaceId, accountIds: null }, signal: stop.signal } as never;
    /** As clients do: a stream that may have missed changes ends, and they subscribe again. */
    const nextUpdate = async (): Promise<unknown> => {
      try {
        return await (await gateway.app.ports.deliveries.watch(context, {})).next();
      } catch (error) {
        expect(error).toMatchObject({ errorName: 'service_unavailable' });
        return nextUpdate();
      }
    };
    await direct.app.database
      .insertInto('webhooks')
      .values({ ...webhookRow(space.workspaceId), created_at: 0 })
      .execute();
    const heard = nextUpdate();
    let isHeard = false;
    void heard.then(() => {
      isHeard = true;
    });
    while (!isHeard) {
      await graphql(direct.address, space.key, emit(accountId));
      await Promise.race([heard, sleep(500)]);
      expect(performance.now() - since).toBeLessThan(longestOutage);
    }
    stop.abort();
  }, 40_000);

  test.each(['with a request in flight', 'with nothing in flight'])(
    'does not keep a process from ending %s',
    async (name) => {
      const { direct, proxy, url } = await databaseBehindProxy();
      const { key } = await direct.workspace();
      const gateway = startProcess('src/app/main.js', [], {
        PORT: '0',
        DATABASE_URL: url,
        DEMO: 'off',
        SECRET: testSecret,
      });
      const [, address = ''] = await gateway.line(/(http:\/\/127\.0\.0\.1:\d+)\/graphql/);
      await warm(address, key);
      proxy.silenceAll();
      const request = name === 'with a request in flight' ? graphql(address, key, everything) : null;
      await sleep(100);
      gateway.child.kill('SIGTERM');
      expect(await gateway.ended).toMatchObject({ code: 0, stderr: '' });
      if (request !== null) expect(typesOf(await request)).toContain('SERVICE_UNAVAILABLE');
    },
    40_000,
  );
});

const webhookRow = (workspaceId: string) => ({
  id: 'hook',
  workspace_id: workspaceId,
  type: 'AUTO',
  source: 'users' as const,
  name: null,
  enabled: 0,
  request_url: 'https://hooks.example/in',
  format: 'json',
  account_ids: '[]',
  headers: '[]',
  data: '[]',
  events: '["new_relation"]',
  trigger: null,
});

describe.skipIf(dialect === undefined)('a table that another session has locked', () => {
  const locked = [
    ...['deliveries', 'events', 'webhooks', 'webhook_destinations', 'delivery_attempts'].map(
      (table) => [table, ['keys', 'posts', 'jobs']] as const,
    ),
    ...['jobs', 'idempotent_responses'].map((table) => [table, ['keys', 'posts', 'webhooks']] as const),
    ['rate_limits', ['keys', 'posts', 'jobs', 'webhooks']] as const,
  ];

  // Whoever has to wait, for the lock or for a connection, waits longer than the test takes.
  const patient = {
    lockTimeoutMs: 20_000,
    statementTimeoutMs: 25_000,
    queryTimeoutMs: 30_000,
    connectTimeoutMs: 20_000,
  };

  let place: TestDatabase;
  let gateway: Gateway;
  beforeAll(async () => {
    if (dialect === undefined) return;
    place = await dialect.location();
    gateway = await startGateway({ environment: { DATABASE_URL: place.url }, tuning: { postgres: patient } });
  });
  afterAll(async () => {
    await gateway?.close();
    await place?.drop();
  });

  test.each(locked)(
    '%s: %j are served, and so is /readyz',
    async (table, served) => {
      const space: SeededWorkspace = await seeded(gateway, gateway.address).workspace();
      const accountId = await space.account();
      const webhookId = await space.webhook({ enabled: 0 });
      const draftId = await space.draft({ accountId });
      await space.ask(emit(accountId));
      // A key that is not known yet is looked up.
      const key = await space.newKey();
      const operations: Record<string, string> = {
        keys: '{ viewer { keyId } }',
        posts: `{ posts(accountId: "${accountId}", identifier: "ACoSandbox1") { nodes { __typename } } }`,
        jobs: `{ jobPosting(jobId: "${draftId}") { id } }`,
        webhooks: '{ webhooks { nodes { id } } }',
      };
      const publish = () =>
        fetch(`${gateway.address}/v1/pnet/jobs/${draftId}/publish`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'x-api-key': space.key,
            'idempotency-key': crypto.randomUUID(),
          },
          body: JSON.stringify({ account_id: accountId, mode: 'FREE' }),
        });
      const locker = new pg.Client({ connectionString: place.url });
      await locker.connect();
      onTestFinished(() => locker.end());
      await locker.query(`begin; lock table ${table} in access exclusive mode`);

      // Within its transaction the other one would see the same activity again and again.
      const observer = new pg.Client({ connectionString: place.url });
      await observer.connect();
      onTestFinished(() => observer.end());

      // More requests than there are connections need the table.
      const waiting = Promise.allSettled(
        Array.from({ length: 20 }, () => [
          space.ask(emit(accountId)),
          space.ask(
            `{ webhook(webhookId: "${webhookId}") { deliveries { nodes { attempts { nodes { number } } } } } }`,
          ),
          space.ask(`mutation { rotateWebhookSecret(input: { webhookId: "${webhookId}" }) { __typename } }`),
          space.ask('{ jobPostings { nodes { id } } }'),
          publish(),
        ]).flat(),
      );
      const waits = `select count(*)::int as count from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`;
      // Rate limits are settled now and then, one statement stores events, and reads of jobs share some. Any other pool has at least
      // four connections.
      const least = { rate_limits: 0, events: 1, jobs: 2 }[table] ?? 4;
      await expect.poll(async () => (await observer.query(waits)).rows[0].count).toBeGreaterThanOrEqual(least);
      for (const name of served) {
        const { errors } = await graphql(gateway.address, key, operations[name] ?? '');
        expect({ name, errors }).toEqual({ name, errors: [] });
      }
      expect((await fetch(`${gateway.address}/readyz`)).status).toBe(200);
      // They still wait.
      expect((await observer.query(waits)).rows[0].count).toBeGreaterThanOrEqual(least);
      await locker.query('rollback');
      await waiting;
    },
    60_000,
  );
});
