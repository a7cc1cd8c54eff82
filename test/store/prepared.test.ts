/** The pools on Postgres prepare their statements, and that of the delivery queue plans them once. */
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { type Database, openUnmigrated } from '../../src/store/database.ts';
import { postgresDefaults } from '../../src/store/postgres-settings.ts';
import { StatementNames } from '../../src/store/statement-names.ts';
import { databases } from '../support/databases.ts';
import { type DeliveringGateway, startDelivering } from '../support/deliveries.ts';
import { runOperations, runQueue } from '../support/growth/operations.ts';

const postgres = databases.find(({ name }) => name === 'Postgres');

describe.skipIf(postgres === undefined)('prepared statements', () => {
  let gateway: DeliveringGateway;
  let database: Database;

  beforeEach(async () => {
    if (postgres === undefined) throw new Error('there is no Postgres');
    gateway = await startDelivering({ dialect: postgres, delivery: { limits: { slots: 0 } } });
    const settings = { ...postgresDefaults, connections: 1 };
    database = await openUnmigrated({ kind: 'postgres', url: gateway.databaseUrl, settings }, { prepares: 'all' });
  });
  afterEach(async () => {
    await database.destroy();
    await gateway.close();
  });

  const prepared = async () => {
    const { rows } = await sql<{ count: number; custom: number; generic: number }>`
      select count(*) as count, sum(custom_plans)::bigint as custom, sum(generic_plans)::bigint as generic
      from pg_prepared_statements where statement like '%deliveries%'`.execute(database);
    return rows[0] ?? { count: 0, custom: 0, generic: 0 };
  };
  const claimAndSettle = async (webhookId: string) => {
    const queue = { app: { ...gateway.app, database }, clock: gateway.clock } as never;
    const { deliveries } = await gateway.emit('n');
    const subject = { gateway: queue, kind: 'postgres', webhookId } as const;
    expect((await runQueue(subject, [], webhookId, true)).claimed).toHaveLength(1);
    expect((await runQueue(subject, deliveries, webhookId, false)).changed).toEqual(deliveries);
  };

  it('are planned once', async () => {
    const webhookId = await gateway.webhook('https://hooks.example/');
    await claimAndSettle(webhookId);
    const first = await prepared();
    expect(first.count).toBeGreaterThan(3);
    for (let n = 0; n < 3; n += 1) await claimAndSettle(webhookId);
    const later = await prepared();
    expect(later.count).toBe(first.count);
    expect(later.custom).toBe(first.custom);
    expect(later.generic).toBeGreaterThan(first.generic);
  });

  const expandSchema = async () => {
    for (const { name } of await gateway.app.database.introspection.getTables()) {
      await sql`alter table ${sql.table(name)} add column added text`.execute(gateway.app.database);
    }
  };

  it('are valid after a migration that expands the schema', async () => {
    const webhookId = await gateway.webhook('https://hooks.example/');
    await claimAndSettle(webhookId);
    await expandSchema();
    await claimAndSettle(webhookId);
  });

  it('are valid then for requests, too', async () => {
    const subject = { gateway, kind: 'postgres', webhookId: await gateway.webhook('https://hooks.example/') } as const;
    // A statement is prepared when it is repeated.
    for (let times = 0; times < 4; times += 1) await runOperations(subject);
    const { rows } = await sql`select from pg_prepared_statements`.execute(gateway.app.database);
    expect(rows.length).toBeGreaterThan(5);
    await expandSchema();
    await runOperations(subject);
  });

  it('are none of those that read all columns', async () => {
    const reads = [
      () => database.selectFrom('webhooks').selectAll().execute(),
      () => database.selectFrom('webhooks').selectAll('webhooks').select('id as other').execute(),
      () => database.selectFrom('webhooks').selectAll().select('id as other').execute(),
      () => database.updateTable('webhooks').set({ enabled: 1 }).returningAll().execute(),
    ];
    for (const read of reads) await read();
    await expandSchema();
    for (const read of reads) await read();
  });

  it('are bounded in number', async () => {
    for (let n = 0; n < 200; n += 1) await sql`select ${n}::bigint as ${sql.ref(`n${n}`)}`.execute(database);
    const { rows } = await sql<{ count: number }>`select count(*) as count from pg_prepared_statements`.execute(
      database,
    );
    expect(rows[0]?.count).toBe(100);
  });

  it('are prepared on another connection after the type of a column has changed', async () => {
    const read = () => database.selectFrom('deliveries').select('attempts').execute();
    await read();
    await sql`alter table deliveries alter column attempts type text`.execute(gateway.app.database);
    await expect(read()).rejects.toMatchObject({ errorName: 'service_unavailable' });
    expect(await read()).toEqual([]);
  });
});

test('a statement is prepared when it is repeated, unless it is long', () => {
  const names = new StatementNames('repeated');
  const uses = (statement: string) => Array.from({ length: 4 }, () => names.of(statement));
  const name = expect.stringMatching(/^s[\w-]{43}$/);
  expect(uses('select 1')).toEqual([undefined, undefined, name, name]);
  // Pools that share sessions behind a pooler mean the same statement by a name.
  const others = new StatementNames('all');
  others.of('select 2');
  expect(others.of('select 1')).toBe(names.of('select 1'));
  expect(uses(`select '${'x'.repeat(4_000)}'`)).toEqual(Array.from({ length: 4 }));
  for (let n = 0; n < 1_000; n += 1) expect(names.of(`select ${n} as once`)).toBeUndefined();
  expect(uses('select 2')).toEqual([undefined, undefined, name, name]);
});
