/** A migration that has to wait for others: the gateways of before work on meanwhile, and it says that it waits. */
import { sql } from 'kysely';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { SchemaSteps } from '../../src/store/compatibility.ts';
import { openDatabase } from '../../src/store/database.ts';
import { migrations } from '../../src/store/migrations/index.ts';
import { databases, type TestDatabase } from '../support/databases.ts';
import { type Gateway, graphql, startGateway } from '../support/gateway.ts';
import { startProcess } from '../support/process.ts';

vi.setConfig({ testTimeout: 60_000 });

const last = Object.keys(migrations).sort().at(-1) ?? '';
const run = (statement: string) => ({
  worksFrom: last,
  up: async (db: Parameters<(typeof migrations)[string]['up']>[0]) => void (await sql.raw(statement).execute(db)),
});
/** Steps of the next version: the first locks what every request reads. */
const next: SchemaSteps = {
  ...migrations,
  '901_workspaces': run('alter table workspaces add column later text'),
  '902_webhooks': run('alter table webhooks add column later text'),
};

const [, postgres] = databases;

describe.skipIf(postgres === undefined)('on Postgres', () => {
  let place: TestDatabase;
  beforeEach(async () => {
    if (postgres === undefined) return;
    place = await postgres.location();
  });
  afterEach(() => place.drop());

  const session = async (name: string) => {
    const url = new URL(place.url);
    url.searchParams.set('application_name', name);
    const client = new pg.Client({ connectionString: url.href });
    client.on('error', () => undefined);
    await client.connect();
    onTestFinished(() => client.end());
    return client;
  };

  /** A read and a write of a gateway of before, each within two seconds. */
  async function works(gateway: Gateway, key: string): Promise<void> {
    const source = 'source: USERS';
    for (const query of [
      '{ webhooks(first: 10) { nodes { id } } }',
      `mutation { createWebhook(input: { requestUrl: "https://hooks.example/in", ${source} }) { __typename } }`,
    ]) {
      const startedAt = performance.now();
      const { errors } = await graphql(gateway.address, key, query);
      expect({ errors, isSoon: performance.now() - startedAt < 2_000 }).toEqual({ errors: [], isSoon: true });
    }
  }

  test.each([
    ['an idle transaction', 'begin; select count(*) from webhooks'],
    [
      'a backup',
      'begin isolation level repeatable read read only; lock table workspaces, webhooks, deliveries in access share mode; select 1',
    ],
  ])('gateways of before work on while a migration waits for %s', async (_name, reads) => {
    const gateway = await startGateway({ environment: { DATABASE_URL: place.url } });
    onTestFinished(gateway.close);
    const { key } = await gateway.workspace();
    const reader = await session('a reader');
    await reader.query(reads);
    const waited = vi.fn();
    let isMigrated = false;
    const migrate = async () => {
      const database = await openDatabase(place.location, next, { onWait: waited });
      await database.destroy();
    };
    // Two start together.
    const migrating = Promise.all([migrate(), migrate()]).then(() => {
      isMigrated = true;
    });
    for (const until = performance.now() + 3_000; performance.now() < until; ) await works(gateway, key);
    await expect.poll(() => waited.mock.calls.length).toBeGreaterThan(0);
    expect(isMigrated).toBe(false);
    await reader.query('commit');
    const endedAt = performance.now();
    await migrating;
    expect(performance.now() - endedAt).toBeLessThan(10_000);
    const { rows } = await reader.query(`select name from kysely_migration where name > '9' order by name`);
    expect(rows.map(({ name }) => name)).toEqual(['901_workspaces', '902_webhooks']);
  });

  test('a start that waits says so, and a signal ends it; so does the command, and ends with the writer', async () => {
    await (await openDatabase(place.location)).destroy();
    const writer = await session('a writer');
    await writer.query('drop index webhooks_by_name');
    await writer.query('begin; lock table webhooks in row exclusive mode');
    const environment = { DATABASE_URL: place.url, SECRET: 's'.repeat(32), PORT: '0' };
    const gateway = startProcess('src/app/main.js', [], environment);
    await gateway.line(/^.*the migration of the database waits.*$/m);
    gateway.child.kill('SIGTERM');
    const ended = await gateway.ended;
    expect(ended.code).not.toBe(0);

    const command = startProcess('src/app/cli/migrate.ts', [], environment);
    await command.errorLine(/^The migration waits for other sessions of the database\.$/m);
    await writer.query('commit');
    expect(await command.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('Nothing is pending') });
  });

  test('an index is built while others write, and waits only for their transactions of before', async () => {
    const gateway = await startGateway({ environment: { DATABASE_URL: place.url } });
    onTestFinished(gateway.close);
    const { key } = await gateway.workspace();
    const writer = await session('a writer');
    await writer.query('begin; lock table webhooks in row exclusive mode');
    const waited = vi.fn();
    const building = openDatabase(place.location, indexed, { onWait: waited });
    await expect.poll(() => waited.mock.calls.length).toBeGreaterThan(0);
    for (let turn = 0; turn < 5; turn += 1) await works(gateway, key);
    // What is left of a building that was broken off is no index.
    const { rows } = await (await session('another')).query(valid);
    expect(rows).toEqual([{ valid: false }]);
    await writer.query('commit');
    await (await building).destroy();
    expect((await writer.query(valid)).rows).toEqual([{ valid: true }]);
  });

  test('an index whose building was broken off is built anew', async () => {
    await (await openDatabase(place.location, indexed)).destroy();
    const owner = await session('owner');
    await owner.query(`update pg_index set indisvalid = false where indexrelid = 'webhooks_by_age'::regclass`);
    await (await openDatabase(place.location, indexed)).destroy();
    expect((await owner.query(valid)).rows).toEqual([{ valid: true }]);
  });
});

const valid = `select indisvalid as valid from pg_index where indexrelid = 'webhooks_by_age'::regclass`;
const indexed: SchemaSteps = {
  ...migrations,
  '901_index': { ...run('select 1'), indexes: { webhooks_by_age: 'on webhooks (created_at)' } },
};

test.each(databases)(
  'on $name, a later step drops an index, and a gateway of before does not bring it back',
  async (dialect) => {
    const place = await dialect.location();
    onTestFinished(place.drop);
    const indexesAfter = async (steps: SchemaSteps) => {
      const database = await openDatabase(place.location, steps);
      const { rows } =
        dialect.name === 'SQLite'
          ? await sql<{ name: string }>`select name from sqlite_master where name = 'webhooks_by_age'`.execute(database)
          : await sql<{ name: string }>`select relname as name from pg_class where relname = 'webhooks_by_age'`.execute(
              database,
            );
      await database.destroy();
      return rows.map(({ name }) => name);
    };
    const dropped = { ...indexed, '902_drop': { ...run('select 1'), indexes: { webhooks_by_age: null } } };
    expect(await indexesAfter(indexed)).toEqual(['webhooks_by_age']);
    expect(await indexesAfter(indexed)).toEqual(['webhooks_by_age']);
    expect(await indexesAfter(dropped)).toEqual([]);
    expect(await indexesAfter(indexed)).toEqual([]);
  },
);
