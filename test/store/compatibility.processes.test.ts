/** Two versions of the gateway on one database: which of them can work on its schema, and what the other says. */
import { sql } from 'kysely';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type SchemaSteps, SchemaTooNew } from '../../src/store/compatibility.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { migrations } from '../../src/store/migrations/index.ts';
import { databases, type TestDatabase } from '../support/databases.ts';
import { startGateway } from '../support/gateway.ts';
import { startPrograms } from '../support/process.ts';

const last = Object.keys(migrations).sort().at(-1) ?? '';
const nothing = async () => undefined;

/** The steps of later versions. */
const expanded: SchemaSteps = {
  ...migrations,
  '901_expand': {
    worksFrom: last,
    up: (db) => sql`create table later (id text)`.execute(db).then(nothing),
  },
};
const contracted: SchemaSteps = { ...expanded, '902_contract': { worksFrom: '901_expand', up: nothing } };
const expandedAgain: SchemaSteps = { ...contracted, '903_expand': { worksFrom: last, up: nothing } };

const refusal = `it knows the schema up to ${last}, and the database needs a gateway that knows 901_expand`;

const programs = startPrograms();
afterAll(() => programs.close());

describe.each(databases)('on $name', (dialect) => {
  let place: TestDatabase;

  beforeEach(async () => {
    place = await dialect.location();
  });
  afterEach(() => place.drop());

  async function use<Result>(steps: SchemaSteps, work: (database: Database) => Promise<Result>): Promise<Result> {
    const database = await openDatabase(place.location, steps);
    try {
      return await work(database);
    } finally {
      await database.destroy();
    }
  }
  const migrateTo = (steps: SchemaSteps) => use(steps, nothing);
  const steps = (database: Database) =>
    sql<{ name: string }>`select name from kysely_migration order by name`.execute(database);
  const command = (...args: string[]) => programs.run('src/app/cli/migrate.ts', args, { DATABASE_URL: place.url });

  test('a gateway starts on a schema that a newer one has expanded, and leaves it as it is', async () => {
    await migrateTo(expanded);
    const names = await use(migrations, async (database) => {
      await database.insertInto('workspaces').values({ id: 'a', name: 'a', created_at: 0 }).execute();
      return (await steps(database)).rows.map(({ name }) => name);
    });
    expect(names).toEqual(Object.keys(expanded).sort());
    const checked = await command('--check');
    expect(checked).toMatchObject({ code: 0, stderr: '' });
    expect(checked.stdout).toContain(
      'The database has 901_expand, which this version does not know.\nNothing is pending',
    );
  });

  test('a clock that was set back between two steps locks nobody out', async () => {
    await migrateTo(migrations);
    await migrateTo(expanded);
    const early = '2001-01-01T00:00:00.000Z';
    await use(expanded, (database) =>
      sql`update kysely_migration set timestamp = ${early} where name = '901_expand'`.execute(database),
    );
    await migrateTo(migrations);
    await migrateTo(contracted);
    const names = await use(contracted, async (database) => (await steps(database)).rows.map(({ name }) => name));
    expect(names).toEqual(Object.keys(contracted).sort());
  });

  test.each([
    ['contracted', contracted],
    ['contracted and expanded again', expandedAgain],
  ])('a gateway does not start on a schema that was %s, and says why in one line', async (_name, newer) => {
    await migrateTo(newer);
    await expect(migrateTo(migrations)).rejects.toThrow(refusal);
    await migrateTo(expanded);
    const environment = { DATABASE_URL: place.url, SECRET: 's'.repeat(32), PORT: '0' };
    for (const program of ['src/app/main.js', 'src/app/cli/migrate.ts', 'src/app/cli/keys.ts']) {
      const { code, stderr } = await programs.run(program, program.endsWith('keys.ts') ? ['list'] : [], environment);
      expect({ code, lines: stderr.trimEnd().split('\n').length }).toEqual({ code: 1, lines: 1 });
      expect(stderr).toContain(refusal);
    }
  });

  test('a gateway does not start on a schema with a step that does not say who can work on it', async () => {
    await migrateTo({ ...migrations, '901_unknown': { up: nothing } });
    await expect(migrateTo(migrations)).rejects.toThrow(SchemaTooNew);
  });

  test('a gateway that becomes too old is not ready any more, and logs why', async () => {
    const gateway = await startGateway({ environment: { DATABASE_URL: place.url } });
    const ready = async () => (await fetch(`${gateway.address}/readyz`)).status;
    try {
      expect(await ready()).toBe(200);
      await migrateTo(expanded);
      expect(await ready()).toBe(200);
      await migrateTo(contracted);
      await expect.poll(ready).toBe(503);
      expect(JSON.stringify(gateway.log)).toContain(refusal);
      expect((await fetch(`${gateway.address}/livez`)).status).toBe(200);
    } finally {
      await gateway.close();
    }
  });

  test('npm run migrate prints what is pending, runs it, and then finds nothing to do', async () => {
    const [first = '', ...others] = Object.keys(migrations).sort();
    const pending = await command('--check');
    expect(pending.code).toBe(1);
    for (const name of [first, ...others]) expect(pending.stdout).toMatch(new RegExp(`^${name} `, 'm'));
    expect((await command('--check')).stdout).toBe(pending.stdout);
    const run = await command();
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout.split('\n').filter((line) => line.startsWith('  '))).toHaveLength(others.length + 1);
    expect(await command()).toMatchObject({ code: 0, stdout: expect.stringContaining('Nothing is pending') });
    expect(await command('--check')).toMatchObject({ code: 0, stdout: expect.stringContaining('Nothing is pending') });
  });
});
