/**
 * Every step of the schema keeps the rule of upgrades: after it, gateways of the version before can work on. What takes
 * something away from them says so, and is a step after the one with which the gateways stopped using it.
 */
import { type Kysely, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { describe, expect, onTestFinished, test } from 'vitest';
import { lastOfBaseline, type SchemaStep, type SchemaSteps } from '../../src/store/compatibility.ts';
import { connectForMigrations, type Database, openDatabase, openUnmigrated } from '../../src/store/database.ts';
import { DatabaseFault } from '../../src/store/faults.ts';
import { migrate } from '../../src/store/migrate.ts';
import { migrations } from '../../src/store/migrations/index.ts';
import type { Tables } from '../../src/store/schema.ts';
import { databases } from '../support/databases.ts';

/** The rule holds for the steps after the baseline. */
const lastWithoutRule = lastOfBaseline;

/** Each column of each table, and whether a row can leave it out. */
async function columnsOf(database: Database): Promise<ReadonlyMap<string, boolean>> {
  const tables = await database.introspection.getTables();
  return new Map(
    tables.flatMap(({ name, columns }) =>
      columns.map((column): [string, boolean] => [
        `${name}.${column.name}`,
        column.isNullable || column.hasDefaultValue || column.isAutoIncrementing,
      ]),
    ),
  );
}

/** What a step takes away from the gateways of before: columns that are gone, or that they would have to write, and time. */
async function takenAway(steps: SchemaSteps, step: string): Promise<{ taken: string[]; built: string[] }> {
  const database = await openUnmigrated({ kind: 'sqlite', file: ':memory:' });
  const migrations = Object.fromEntries(
    Object.entries(steps).map(([name, { up }]): [string, { up: (db: Kysely<Tables>) => Promise<void> }] => [
      name,
      { up },
    ]),
  );
  const migrator = new Migrator({ db: database, provider: { getMigrations: async () => migrations } });
  const names = Object.keys(steps).sort();
  try {
    const before = names[names.indexOf(step) - 1];
    if (before !== undefined) await runTo(migrator, before);
    const columns = await columnsOf(database);
    const indexes = await indexesOf(database);
    await runTo(migrator, step);
    const after = await columnsOf(database);
    // `up` would keep all from writing while it builds an index.
    const built = [...(await indexesOf(database))]
      .filter(
        ([name, table]) => !indexes.has(name) && [...columns.keys()].some((column) => column.startsWith(`${table}.`)),
      )
      .map(([name]) => name);
    const gone = [...columns.keys()].filter((column) => !after.has(column));
    const isOld = (column: string) => [...columns.keys()].some((each) => each.split('.')[0] === column.split('.')[0]);
    const required = [...after].flatMap(([column, canBeLeftOut]) =>
      !canBeLeftOut && isOld(column) && columns.get(column) !== false ? [column] : [],
    );
    return { taken: [...gone, ...required].sort(), built };
  } finally {
    await database.destroy();
  }
}

/** The table of each index. */
async function indexesOf(database: Database): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ name: string; tbl_name: string }>`
    select name, tbl_name from sqlite_master where type = 'index'`.execute(database);
  return new Map(rows.map(({ name, tbl_name }) => [name, tbl_name]));
}

async function runTo(migrator: Migrator, step: string): Promise<void> {
  const { error } = await migrator.migrateTo(step);
  if (error !== undefined) throw error;
}

/** What is wrong with a step; empty if it keeps the rule. */
async function violations(steps: SchemaSteps, name: string): Promise<string[]> {
  const names = Object.keys(steps).sort();
  const worksFrom = steps[name]?.worksFrom;
  if (worksFrom === undefined) return ['it does not export worksFrom'];
  if (!names.includes(worksFrom)) return [`worksFrom names ${worksFrom}, which is no step`];
  if (worksFrom >= name) return ['worksFrom names no earlier step: no two versions could run at once'];
  const before = names.filter((each) => each < name).map((each) => steps[each]?.worksFrom ?? '');
  const isContracting = before.every((each) => each < worksFrom) && worksFrom > lastWithoutRule;
  const { taken, built } = await takenAway(steps, name);
  return [
    ...(isContracting ? [] : taken.map((column) => `${column} is taken away, but gateways of before are let in`)),
    ...built.map((index) => `${index} belongs into its \`indexes\`: \`up\` keeps all from writing while it builds it`),
  ];
}

const underRule = Object.keys(migrations).filter((name) => name > lastWithoutRule);

test.skipIf(underRule.length === 0).each(underRule)('%s lets two versions run at once', async (name) => {
  expect(await violations(migrations, name)).toEqual([]);
});

describe('the rule would find', () => {
  const alter = (statement: string, worksFrom?: string): SchemaStep => ({
    ...(worksFrom === undefined ? {} : { worksFrom }),
    up: (db) =>
      sql
        .raw(statement)
        .execute(db)
        .then(() => undefined),
  });
  const rename = 'alter table jobs rename column fields to posting';
  const found = (step: SchemaStep, others: SchemaSteps = {}) =>
    violations({ ...migrations, ...others, '990_test': step }, '990_test');

  test('a step that does not say who can work on the schema', async () => {
    expect(await found(alter('select 1'))).toEqual(['it does not export worksFrom']);
  });

  test('a column that is renamed or dropped while gateways use it', async () => {
    expect(await found(alter(rename, lastWithoutRule))).toEqual([
      'jobs.fields is taken away, but gateways of before are let in',
      'jobs.posting is taken away, but gateways of before are let in',
    ]);
  });

  test('a column that earlier gateways do not write', async () => {
    const statement = `alter table jobs add column owner text not null default ''`;
    expect(await found(alter(statement, lastWithoutRule))).toEqual([]);
    const table =
      'drop table rate_limits; create table rate_limits (id text primary key, full_at bigint, kind text not null)';
    const [first = '', second = ''] = table.split('; ');
    const step = {
      worksFrom: lastWithoutRule,
      up: (db: Kysely<Tables>) =>
        alter(first)
          .up(db)
          .then(() => alter(second).up(db)),
    };
    expect(await found(step)).toContain('rate_limits.kind is taken away, but gateways of before are let in');
  });

  test('a step that only the gateways of its own version can work with', async () => {
    expect(await found(alter(rename, '990_test'))).toEqual([
      'worksFrom names no earlier step: no two versions could run at once',
    ]);
  });

  test('an index that keeps gateways from writing while it is built', async () => {
    const index = 'on deliveries (created_at)';
    expect(await found(alter(`create index deliveries_by_age ${index}`, lastWithoutRule))).toEqual([
      'deliveries_by_age belongs into its `indexes`: `up` keeps all from writing while it builds it',
    ]);
    expect(await found({ ...alter('select 1', lastWithoutRule), indexes: { deliveries_by_age: index } })).toEqual([]);
  });

  test('nothing in a contraction that names the step after which the column is not used', async () => {
    const others = { '980_expand': alter('alter table jobs add column posting text', lastWithoutRule) };
    expect(await found(alter('alter table jobs drop column checkpoint', '980_expand'), others)).toEqual([]);
  });
});

test.each(databases)(
  'a database of before 0.3.0 is left as it is, and a start says what to do on $name',
  async (dialect) => {
    const place = await dialect.location();
    onTestFinished(() => place.drop());
    const database = await connectForMigrations(place.location);
    onTestFinished(() => database.destroy());
    const steps = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < lastOfBaseline));
    const provider = { getMigrations: async () => steps };
    expect((await new Migrator({ db: database, provider }).migrateToLatest()).error).toBeUndefined();
    const sentence = /^DATABASE_URL names a database of a version before 0\.3\.0: start version 0\.3\.0 with it once/;
    await expect(migrate(database, migrations)).rejects.toThrow(sentence);
    await expect(openDatabase(place.location)).rejects.toThrow(sentence);
    expect((await sql`select name from kysely_migration`.execute(database)).rows).toHaveLength(
      Object.keys(steps).length,
    );
  },
);

test('steps that conflicted with other sessions run again', async () => {
  const database = await openUnmigrated({ kind: 'sqlite', file: ':memory:' });
  let tries = 0;
  const meets = {
    ...migrations,
    '999_meets_others': {
      async up(db: Kysely<Tables>) {
        tries += 1;
        await db.schema.createTable('met').addColumn('id', 'text').execute();
        if (tries < 3) throw new DatabaseFault('conflict', new Error('deadlock detected'));
      },
    },
  };
  expect(await migrate(database, meets)).toContain('999_meets_others');
  expect(tries).toBe(3);
  await database.destroy();
});
