/** No event goes to a webhook twice: an index keeps it so, and what earlier gateways stored twice is in nobody's way. */
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { connectForMigrations, type Database } from '../../src/store/database.ts';
import { migrate, readSchemaState } from '../../src/store/migrate.ts';
import { migrations } from '../../src/store/migrations/index.ts';
import { databases, type TestDialect } from '../support/databases.ts';

const before = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '023'));

async function prepare(dialect: TestDialect) {
  const place = await dialect.location();
  onTestFinished(() => place.drop());
  const connect = async () => {
    const database = await connectForMigrations(place.location);
    onTestFinished(() => database.destroy());
    return database;
  };
  const database = await connect();
  await migrate(database, before);
  await sql`insert into workspaces (id, name, created_at) values ('w', 'w', 1)`.execute(database);
  await sql`insert into webhooks (id, workspace_id, type, enabled, request_url, format, account_ids, headers, data, events, created_at)
    values ('h', 'w', 'AUTO', 1, 'https://hooks.example', 'json', '[]', '[]', '[]', '[]', 1)`.execute(database);
  for (const event of ['e', 'f'])
    await sql`insert into events (id, workspace_id, event, data, fingerprint, created_at)
      values (${event}, 'w', 'new_relation', '{}', '', 1)`.execute(database);
  return { database, connect };
}

const insert = (database: Pick<Database, 'getExecutor'>, id: string, event: string) =>
  sql`insert into deliveries (id, workspace_id, webhook_id, event_id, event, state, attempts, attempts_before, next_at, created_at)
    values (${id}, 'w', 'h', ${event}, 'new_relation', 'pending', 0, 0, 0, 1)`.execute(database);

const ids = async (database: Database) =>
  (await sql<{ id: string }>`select id from deliveries order by id`.execute(database)).rows.map(({ id }) => id);

test.each(databases)('the first of each is left, and no second one gets in, on $name', async (dialect) => {
  const { database } = await prepare(dialect);
  for (const [id, event] of [
    ['a', 'e'],
    ['b', 'f'],
    ['c', 'e'],
    ['d', 'e'],
  ] as const)
    await insert(database, id, event);
  await migrate(database, migrations);
  expect(await ids(database)).toEqual(['a', 'b']);
  expect((await readSchemaState(database, migrations)).indexes).toEqual([]);
  await expect(insert(database, 'e', 'e')).rejects.toThrow(/unique/i);
});

test.skipIf(databases.length < 2)('an earlier gateway that stores one twice meanwhile is waited for', async () => {
  const postgres = databases.find(({ name }) => name === 'Postgres');
  if (postgres === undefined) throw new Error('There is no Postgres');
  const { database, connect } = await prepare(postgres);
  const [earlier, watching] = [await connect(), await connect()];
  await insert(database, 'a', 'e');
  const { promise: built, resolve } = Promise.withResolvers<void>();
  await earlier.transaction().execute(async (transaction) => {
    await insert(transaction as never, 'b', 'e');
    migrate(database, migrations).then(() => resolve(), resolve);
    // It waits for the transaction.
    await expect
      .poll(
        async () =>
          (
            await sql`select 1 from pg_stat_activity where query like 'create unique index%' and wait_event is not null`.execute(
              watching,
            )
          ).rows.length,
      )
      .toBeGreaterThan(0);
  });
  await built;
  expect(await ids(database)).toEqual(['a']);
  expect((await readSchemaState(database, migrations)).indexes).toEqual([]);
});
