/** A pooler in front of Postgres: whoever gets which session, each statement is the one that was meant, within its limits. */
import { type CompiledQuery, sql } from 'kysely';
import pg from 'pg';
import { describe, expect, it, vi } from 'vitest';
import { openUnmigrated } from '../../src/store/database.ts';
import { openDatabases } from '../../src/store/databases.ts';
import { postgresDefaults } from '../../src/store/postgres-settings.ts';
import type { MarkedQuery } from '../../src/store/short-reads.ts';
import { databases } from '../support/databases.ts';
import { startDelivering } from '../support/deliveries.ts';
import { startGateway } from '../support/gateway.ts';
import { type Pooler, startPooler } from '../support/pooler.ts';
import { startReceiver } from '../support/receiver.ts';
import { requestContext } from '../support/request-context.ts';
import { hasPgBouncer } from '../support/servers.ts';

const [, dialect] = databases;

/** What is set for each mode, and how many sessions the pooler may have: fewer than there are connections, if it shares them. */
const modes = [
  { mode: 'transaction', sessions: 2, direct: true },
  { mode: 'session', sessions: 100, direct: false },
] as const;

const marked = (query: CompiledQuery): MarkedQuery => ({ ...query, isChange: true });

/** A dialect whose gateways reach the database through the pooler. */
const pooled = (pooler: Pooler, isDirect: boolean) => ({
  async withSchema() {
    if (dialect === undefined) throw new Error('there is no Postgres');
    const place = await dialect.withSchema();
    const environment = { ...(isDirect ? { DATABASE_DIRECT_URL: place.url } : {}) };
    return { ...place, url: pooler.through(place.url), direct: place.url, environment };
  },
});

describe.skipIf(!hasPgBouncer)('behind PgBouncer', () => {
  it.each(modes)('in $mode mode two gateways list and deliver what each was asked for', async (row) => {
    await using pooler = await startPooler(row.mode, row.sessions);
    const receiver = await startReceiver();
    const place = await pooled(pooler, row.direct).withSchema();
    const fixed = { withSchema: async () => place };
    const gateway = await startDelivering({ dialect: fixed, environment: place.environment });
    const other = await startGateway({
      environment: { DATABASE_URL: place.url, OUTBOUND_ALLOW: '127.0.0.0/8', ...place.environment },
    });
    try {
      await gateway.webhook(`${receiver.address}/a`);
      const names = Array.from({ length: 12 }, (_, number) => `account ${number}`);
      const ids = await Promise.all(names.map((name) => gateway.space.account({ name })));
      const request = () => requestContext(gateway.space.workspaceId);
      // Each statement often enough to be prepared, and by several connections at once.
      for (let round = 0; round < 8; round += 1) {
        const read = [gateway, other].flatMap(({ app }) => [
          app.ports.accounts.find(request(), ids).then((found) => {
            expect(found.map((account) => account?.name)).toEqual(names);
          }),
          app.ports.webhooks.list(request(), {}).then(({ items }) => expect(items).toHaveLength(1)),
          app.ports.deliveries.list(request(), {}).then(({ items }) => expect(items.length).toBeLessThanOrEqual(16)),
        ]);
        await Promise.all([...read, gateway.emit(`a${round}`), gateway.emit(`b${round}`)]);
      }
      await expect.poll(() => receiver.received.length).toBe(16);
      await expect
        .poll(async () => (await gateway.deliveries()).every(({ state }) => state === 'succeeded'))
        .toBe(true);
    } finally {
      await receiver.close();
      await other.close();
      await gateway.close();
    }
  });

  it.each(modes)('in $mode mode every statement has its limits, alone and in a transaction', async (row) => {
    await using pooler = await startPooler(row.mode, row.sessions);
    const place = await pooled(pooler, row.direct).withSchema();
    const settings = { ...postgresDefaults, statementTimeoutMs: 7_000, lockTimeoutMs: 150 };
    const location = {
      kind: 'postgres' as const,
      url: place.url,
      ...(row.direct ? { directUrl: place.direct } : {}),
      settings,
    };
    const opened = await openDatabases(location, () => undefined);
    try {
      for (const pool of ['keys', 'accounts', 'jobs', 'deliveries', 'queue'] as const) {
        const limits = sql<{ statement: string; lock: string }>`
          select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock`;
        const expected = [{ statement: '7s', lock: '150ms' }];
        expect((await limits.execute(opened[pool])).rows, pool).toEqual(expected);
        await opened[pool].transaction().execute(async (transaction) => {
          expect((await limits.execute(transaction)).rows, pool).toEqual(expected);
        });
      }
      await opened.queue.transaction().execute(async (transaction) => {
        await sql`lock table accounts in access exclusive mode`.execute(transaction);
        await expect(opened.accounts.selectFrom('accounts').select('id').execute()).rejects.toThrow();
      });
      expect(await opened.accounts.selectFrom('accounts').select('id').execute()).toEqual([]);
    } finally {
      await opened.close();
      await place.drop();
    }
  });

  it('a start with the addresses of two databases is refused', async () => {
    if (dialect === undefined) throw new Error('there is no Postgres');
    const [one, other] = [await dialect.withSchema(), await dialect.withSchema()];
    try {
      await expect(
        startGateway({ environment: { DATABASE_URL: one.url, DATABASE_DIRECT_URL: other.url } }),
      ).rejects.toThrow(/DATABASE_URL and DATABASE_DIRECT_URL lead to different databases/);
    } finally {
      await one.drop();
      await other.drop();
    }
  });

  it('a read whose transaction is lost at its end has changed nothing, and a write may have', async () => {
    if (dialect === undefined) throw new Error('there is no Postgres');
    const place = await dialect.withSchema();
    // As behind a pooler: each statement has a transaction.
    const shared = await openUnmigrated({ kind: 'postgres', url: place.url, directUrl: place.url });
    const { query } = pg.Client.prototype;
    let lostAt = 'commit';
    const lost = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(async function (
      this: pg.Client,
      ...given: unknown[]
    ) {
      if (given[0] === lostAt) throw new Error('Connection terminated unexpectedly');
      return Reflect.apply(query, this, given);
    });
    try {
      await expect(shared.selectFrom('workspaces').select('id').execute()).rejects.toMatchObject({
        errorName: 'service_unavailable',
      });
      await expect(shared.deleteFrom('workspaces').execute()).rejects.toMatchObject({
        errorName: 'request_timeout',
        outcomeUnknown: true,
      });
      const write = shared.deleteFrom('workspaces').compile();
      lostAt = write.sql;
      await expect(shared.executeQuery(marked(write))).rejects.toMatchObject({ errorName: 'service_unavailable' });
    } finally {
      lost.mockRestore();
      await shared.destroy();
      await place.drop();
    }
  });

  it('in transaction mode a start without the address of the server is refused, and says what to set', async () => {
    await using pooler = await startPooler('transaction', 4);
    const place = await pooled(pooler, false).withSchema();
    try {
      await expect(startGateway({ environment: { DATABASE_URL: place.url } })).rejects.toThrow(
        /DATABASE_DIRECT_URL to the address of the Postgres server itself/,
      );
    } finally {
      await place.drop();
    }
  });
});
