/** Times that a wrong clock has stored do no lasting harm. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { accessTokens } from '../../src/auth/access-tokens.ts';
import { judge } from '../../src/delivery/destination-health.ts';
import { maxPause, maxRetryAfter, type RetryDecision, retryDelays } from '../../src/delivery/retry-policy.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { cautiousTime } from '../../src/kernel/lib/cautious-time.ts';
import { openDatabase } from '../../src/store/database.ts';
import { createLeases } from '../../src/store/lease.ts';
import { maxAheadMs } from '../../src/store/statement-time.ts';
import { databases } from '../support/databases.ts';
import { startDelivering } from '../support/deliveries.ts';
import { startReceiver } from '../support/receiver.ts';
import { requestContext } from '../support/request-context.ts';

const day = 24 * 3_600_000;

/** Times that no clock is compared with to decide something, or that have a bound of their own. */
const others: Readonly<Record<string, string>> = {
  'accounts.created_at': 'orders',
  'api_keys.created_at': 'orders',
  'api_keys.expires_at': 'given by the operator, who may mean years',
  'api_keys.revoked_at': 'whether there is one',
  'deliveries.created_at': 'orders; retention believes a clock after a day',
  'deliveries.finished_at': 'is shown',
  'delivery_attempts.started_at': 'is shown',
  'events.created_at': 'orders; retention believes a clock after a day',
  'idempotent_responses.expires_at': 'a response that is kept too long is no harm; one that goes too soon would be',
  'jobs.created_at': 'orders',
  'jobs.updated_at': 'orders',
  'pending_holds.held_created_at': 'a place among deliveries',
  'pending_holds.through_created_at': 'a place among deliveries',
  'pending_notices.disabled_at': 'is shown',
  'rate_limits.full_at': 'maxAhead of src/auth/rate-limit-settlement.ts',
  'webhook_destinations.disabled_at': 'is shown',
  'webhook_statistics.starts_at': 'a span; those of the future are shown by nobody',
  'webhooks.created_at': 'orders',
  'workspace_statistics.starts_at': 'a span; those of the future are shown by nobody',
  'workspaces.created_at': 'orders',
};

it('each time of the schema has a bound, or a reason for none', async () => {
  const database = await openDatabase({ kind: 'sqlite', file: ':memory:' });
  const tables = await database.introspection.getTables();
  await database.destroy();
  const times = tables.flatMap(({ name, columns }) =>
    columns.map((column) => `${name}.${column.name}`).filter((column) => /(_at|_until|_since)$/.test(column)),
  );
  expect(times.sort()).toEqual([...Object.keys(maxAheadMs), ...Object.keys(others)].sort());
});

const delivered = ['webhook_destinations.paused_until', 'deliveries.next_at'] as const;

it('a run of failures does not begin in the future', () => {
  const failed: RetryDecision = { outcome: 'retry', delayMs: 1_000, gone: false, overloaded: false, pauseMs: 0 };
  const run = { failing_since: 100 * day, failed_attempts: 7, failing: 1 };
  expect(judge(run, [failed], day).changes.failing_since).toBe(day);
  expect(judge({ ...run, failing_since: day - 1 }, [failed], day).changes.failing_since).toBe(day - 1);
});

it('an access token lasts no longer than any can, whatever clock issued it', async () => {
  let now = 1_000 * day;
  const keys = { current: randomBytes(32), previous: [] };
  const caller = requestContext('w').caller;
  const tokens = accessTokens({ keys, findKey: async () => caller, now: () => new Date(now), randomBytes });
  const issue = () =>
    tokens.issue(caller, { scopes: ['accounts:read'], accountIds: ['a'], expiresIn: 3_600, origins: null });
  const { token } = await issue();
  expect((await tokens.authenticate(token)).workspaceId).toBe('w');
  now -= 3_600_000;
  expect((await tokens.authenticate(token)).workspaceId).toBe('w');
  now -= day;
  await expect(tokens.authenticate(token)).rejects.toMatchObject({ errorName: 'expired_credentials' });
});

describe.each(databases)('on $name', (dialect) => {
  it.each(['jobs', 'idempotent_responses'] as const)('a lease of %s is believed up to its bound', async (table) => {
    const gateway = await startDelivering({ dialect });
    const { database } = gateway.app;
    const now = () => new Date();
    const leases = createLeases(
      table,
      { database, now, randomBytes, logger: pino({ level: 'silent' }) },
      { leaseMs: 1_000, waitMs: 1_000, maxWaiting: 1, busy: () => new ServiceError('service_unavailable', {}) },
    );
    const row =
      table === 'jobs'
        ? sql`insert into jobs (id, workspace_id, account_id, state, fields, claimed_until, created_at, updated_at)
          values ('1', ${gateway.space.workspaceId}, ${gateway.accountId}, 'draft', '{}', 0, 0, 0)`
        : sql`insert into idempotent_responses (id, fingerprint, claimed_until, expires_at) values ('1', '', 0, 0)`;
    await row.execute(database);
    const bound = maxAheadMs[`${table}.claimed_until`];
    const lasts = async (ms: number) => {
      await database
        .updateTable(table)
        .set({ claimed_until: Date.now() + ms })
        .execute();
      const { rows } = await sql<{ lasts: boolean | number }>`
        select ${leases.lasts()} as lasts from ${sql.table(table)} where id = '1'`.execute(database);
      return Boolean(rows[0]?.lasts);
    };
    expect([await lasts(-60_000), await lasts(60_000), await lasts(bound - 60_000)]).toEqual([false, true, true]);
    expect(await lasts(bound + 60_000)).toBe(false);
    await gateway.close();
  });

  it.each(delivered.map((name) => [name, maxAheadMs[name]] as const))(
    '%s is believed up to its bound',
    async (name, bound) => {
      const receiver = await startReceiver();
      const gateway = await startDelivering({ dialect });
      const { database, delivery } = gateway.app;
      await gateway.webhook(receiver.address);
      receiver.answer = (_request, response) => response.writeHead(500).end();
      await gateway.emit('a');
      await gateway.delivery.worker.idle();
      receiver.answer = (_request, response) => void response.end();
      const [table, column] = name.split('.') as ['deliveries', 'next_at'];
      // In one transaction, as the worker may claim after each.
      const set = (ms: number) =>
        database.transaction().execute(async (open) => {
          await open.updateTable('deliveries').set({ next_at: 0 }).execute();
          await open
            .updateTable(table)
            .set({ [column]: gateway.clock.now.getTime() + ms })
            .execute();
        });
      await set(bound);
      for (let flushes = 0; flushes < 4; flushes += 1) await gateway.delivery.worker.idle();
      expect(receiver.received).toHaveLength(1);
      await set(bound + 1);
      const received = async () => {
        delivery?.worker.wake();
        return receiver.received.length;
      };
      await expect.poll(received, { timeout: 10_000 }).toBe(2);
      await gateway.close();
      await receiver.close();
    },
  );
});

it.each(databases)(
  'a clock that jumps ahead disables no webhook that has just begun to fail, on $name',
  async (dialect) => {
    const receiver = await startReceiver();
    receiver.answer = (_request, response) => response.writeHead(500).end();
    const gateway = await startDelivering({ dialect });
    const webhookId = await gateway.webhook(receiver.address);
    await gateway.emit('a');
    await gateway.delivery.worker.idle();
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 6 * day);
    const received = async () => {
      gateway.delivery.worker.wake();
      return receiver.received.length;
    };
    await expect.poll(received, { timeout: 10_000 }).toBe(2);
    await gateway.delivery.worker.idle();
    const stored = gateway.app.database.selectFrom('webhooks').select('enabled').where('id', '=', webhookId);
    expect(await stored.executeTakeFirst()).toEqual({ enabled: 1 });
    await gateway.close();
    await receiver.close();
  },
);

it('retention believes a clock that is ahead after a day, and one that is behind at once', () => {
  let [wall, monotonic] = [1_000 * day, 0];
  const time = cautiousTime(
    () => new Date(wall),
    () => monotonic,
    null,
  );
  const pass = (ms: number) => {
    wall += ms;
    monotonic += ms;
    return time() / day;
  };
  expect(pass(0)).toBe(1_000);
  wall += 60 * day;
  expect(pass(0)).toBe(1_000);
  expect(pass(day / 2)).toBe(1_000.5);
  expect(pass(day / 2)).toBe(1_061);
  wall -= 60 * day;
  expect(pass(0)).toBe(1_001);
});

it('what is written is at most half as far ahead as is believed', () => {
  expect(2 * maxPause).toBeLessThanOrEqual(maxAheadMs['webhook_destinations.paused_until']);
  expect(2 * Math.max(maxRetryAfter, ...retryDelays)).toBeLessThanOrEqual(maxAheadMs['deliveries.next_at']);
});
