/** What a migration would do includes the indexes that a start builds or drops. */
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { connectForMigrations } from '../../src/store/database.ts';
import { migrate, readSchemaState } from '../../src/store/migrate.ts';
import { migrations } from '../../src/store/migrations/index.ts';
import { databases } from '../support/databases.ts';

const up = async () => undefined;

test.each(databases)('of the real steps, the indexes that they declare are looked for on $name', async (dialect) => {
  const location = await dialect.location();
  onTestFinished(() => location.drop());
  const database = await connectForMigrations(location.location);
  onTestFinished(() => database.destroy());
  await migrate(database, migrations);
  await sql`drop index idempotent_responses_by_expiry`.execute(database);
  expect(await readSchemaState(database, migrations)).toMatchObject({ pending: [], indexes: [] });
  await sql`drop index deliveries_of_workspace`.execute(database);
  expect(await readSchemaState(database, migrations)).toMatchObject({
    pending: [],
    indexes: ['deliveries_of_workspace'],
  });
});

test.each(databases)('indexes that are missing are pending on $name', async (dialect) => {
  const location = await dialect.location();
  onTestFinished(() => location.drop());
  const database = await connectForMigrations(location.location);
  onTestFinished(() => database.destroy());
  await sql`create table things (id integer, name text)`.execute(database);
  const steps = {
    ...migrations,
    '999_a': { up, worksFrom: '999_a', indexes: { things_by_id: 'on things (id)', things_by_name: null } },
  };
  expect((await readSchemaState(database, steps)).indexes).toEqual([]);
  await migrate(database, steps);
  expect(await readSchemaState(database, steps)).toMatchObject({ pending: [], indexes: [] });
  await sql`drop index things_by_id`.execute(database);
  await sql`create index things_by_name on things (name)`.execute(database);
  expect((await readSchemaState(database, steps)).indexes).toEqual(['things_by_id', 'things_by_name']);
});
