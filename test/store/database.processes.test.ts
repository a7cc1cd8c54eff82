/** The database: what must hold on SQLite and Postgres alike, and what each of them needs for it. */
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CompiledQuery, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Database, DatabaseUnavailable, openDatabase, ping } from '../../src/store/database.ts';
import { migrations } from '../../src/store/migrations/index.ts';
import { databases, type TestDatabase } from '../support/databases.ts';
import { runProcess } from '../support/process.ts';

const workspace = (name: string) => ({ id: name, name, created_at: 1_763_640_000_000 });

const tablesOf = async (database: Database): Promise<string[]> =>
  (await database.introspection.getTables()).map(({ name }) => name).sort();

const namesOf = async (database: Database): Promise<string[]> =>
  (await database.selectFrom('workspaces').select('name').orderBy('name').execute()).map(({ name }) => name);

const appliedTo = async (database: Database): Promise<string[]> =>
  (await sql<{ name: string }>`select name from kysely_migration order by name`.execute(database)).rows.map(
    ({ name }) => name,
  );

describe.each(databases)('on $name', (dialect) => {
  let place: TestDatabase;
  const opened: Database[] = [];

  /** Opens the database; it is closed when the test ends. */
  async function open(...rest: Parameters<typeof openDatabase> extends [unknown, ...infer R] ? R : never) {
    const database = await openDatabase(place.location, ...rest);
    opened.push(database);
    return database;
  }

  beforeEach(async () => {
    place = await dialect.location();
  });
  afterEach(async () => {
    for (const database of opened.splice(0)) await database.destroy();
    await place.drop();
  });

  test('an empty database gets every migration, and a second start runs none', async () => {
    const database = await open();
    expect(await tablesOf(database)).toEqual(
      expect.arrayContaining(['accounts', 'api_keys', 'jobs', 'webhooks', 'workspaces']),
    );
    expect(await appliedTo(database)).toEqual(Object.keys(migrations).sort());
    const before = await sql`select * from kysely_migration`.execute(database);
    const again = await open();
    expect((await sql`select * from kysely_migration`.execute(again)).rows).toEqual(before.rows);
  });

  test('rows survive a restart, with times as numbers', async () => {
    const first = await openDatabase(place.location);
    await first.insertInto('workspaces').values(workspace('kept')).execute();
    await first.destroy();
    const second = await open();
    expect(await second.selectFrom('workspaces').selectAll().execute()).toEqual([workspace('kept')]);
  });

  // A process opens a SQLite file once: two connections in one thread would block each other.
  test.skipIf(dialect.name === 'SQLite')(
    'connections that open together on an empty database all succeed',
    async () => {
      const all = await Promise.all(Array.from({ length: 4 }, () => open()));
      for (const database of all) expect(await appliedTo(database)).toEqual(Object.keys(migrations).sort());
    },
  );

  test('processes that start together on an empty database all succeed', async () => {
    const ended = await Promise.all(
      Array.from({ length: 4 }, () => runProcess('src/app/cli/keys.ts', ['list'], { DATABASE_URL: place.url })),
    );
    // A file that was not there yet is told.
    const written = expect.stringMatching(/^(?:Created the database .*\n)?$/);
    expect(ended.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
      ended.map(() => ({ code: 0, stderr: written })),
    );
    expect(await appliedTo(await open())).toEqual(Object.keys(migrations).sort());
  });

  test('a failed migration leaves nothing behind, not even of those before it, and the next start succeeds', async () => {
    const broken = {
      ...migrations,
      '998_adds': { up: async (db: Database) => void (await sql`create table added (id text)`.execute(db)) },
      '999_breaks': {
        async up(db: Database) {
          await sql`create table half (id text)`.execute(db);
          await sql`insert into added values ('x')`.execute(db);
          throw new Error('broken on purpose');
        },
      },
    };
    await expect(open(broken)).rejects.toThrow('broken on purpose');
    const database = await open();
    const tables = await tablesOf(database);
    expect(tables).not.toContain('added');
    expect(tables).not.toContain('half');
    expect(await appliedTo(database)).toEqual(Object.keys(migrations).sort());

    // The same holds for a database with data.
    await database.insertInto('workspaces').values(workspace('kept')).execute();
    await expect(open(broken)).rejects.toThrow('broken on purpose');
    expect(await namesOf(database)).toEqual(['kept']);
    expect(await tablesOf(database)).toEqual(tables);
  });

  test('a failed transaction leaves nothing behind', async () => {
    const database = await open();
    const failed = database.transaction().execute(async (transaction) => {
      await transaction.insertInto('workspaces').values(workspace('lost')).execute();
      throw new Error('changed my mind');
    });
    await expect(failed).rejects.toThrow('changed my mind');
    expect(await namesOf(database)).toEqual([]);
  });

  test('foreign keys are enforced', async () => {
    const database = await open();
    const orphan = { ...workspace('orphan'), workspace_id: 'nowhere', type: 'PNET', status: 'OK', session: 'x' };
    await expect(database.insertInto('accounts').values(orphan).execute()).rejects.toThrow(/foreign key/i);
  });

  test('concurrent writers in several processes wait for one another', async () => {
    const database = await open();
    const writers = ['a', 'b', 'c'].map((name) => runProcess('test/support/writer.ts', [place.url, name, '50'], {}));
    // This process writes at the same time.
    for (let index = 0; index < 20; index += 1) {
      await database
        .insertInto('workspaces')
        .values(workspace(`own-${index}`))
        .execute();
    }
    const ended = await Promise.all(writers);
    expect(ended.map(({ code, stderr }) => ({ code, stderr }))).toEqual(ended.map(() => ({ code: 0, stderr: '' })));
    expect(await namesOf(database)).toHaveLength(3 * 50 + 20);
  });

  test('ping rejects when the database is closed', async () => {
    const database = await openDatabase(place.location);
    await ping(database);
    await database.destroy();
    await expect(ping(database)).rejects.toThrow();
  });
});

describe('SQLite', () => {
  let place: TestDatabase;
  let file: string;

  beforeEach(async () => {
    place = await (databases[0] as (typeof databases)[number]).location();
    file = place.location.kind === 'sqlite' ? place.location.file : '';
  });
  afterEach(() => place.drop());

  test('has a write-ahead log, waits for the disk and enforces foreign keys', async () => {
    const database = await openDatabase(place.location);
    const pragma = async (name: string) =>
      Object.values((await database.executeQuery(CompiledQuery.raw(`pragma ${name}`))).rows[0] as object)[0];
    expect(await pragma('journal_mode')).toBe('wal');
    expect(await pragma('synchronous')).toBe(2);
    expect(await pragma('foreign_keys')).toBe(1);
    expect(await pragma('busy_timeout')).toBe(5_000);
    await database.destroy();
  });

  test('creates files for this user only, and leaves one file when it is closed', async () => {
    const database = await openDatabase(place.location);
    for (const path of [file, `${file}-wal`, `${file}-shm`]) expect(statSync(path).mode & 0o777).toBe(0o600);
    await database.destroy();
    expect([existsSync(file), existsSync(`${file}-wal`), existsSync(`${file}-shm`)]).toEqual([true, false, false]);
  });

  test('a transaction takes the write lock when it begins, since a reader could not take it later', async () => {
    const database = await openDatabase(place.location);
    const other = new DatabaseSync(file, { timeout: 0 });
    const write = (name: string) => other.exec(`insert into workspaces values ('${name}', '${name}', 0)`);
    await database.transaction().execute(async (transaction) => {
      expect(await namesOf(transaction)).toEqual([]);
      expect(() => write('meanwhile')).toThrow('database is locked');
      await transaction.insertInto('workspaces').values(workspace('ours')).execute();
    });
    write('after');
    expect(await namesOf(database)).toEqual(['after', 'ours']);

    // After a plain "begin" the reader fails at its first write, without waiting for its timeout.
    const reader = new DatabaseSync(file, { timeout: 5_000 });
    reader.exec('begin');
    reader.prepare('select * from workspaces').all();
    write('before the reader');
    expect(() => reader.exec("insert into workspaces values ('late', 'late', 0)")).toThrow('database is locked');
    reader.close();
    other.close();
    await database.destroy();
  });

  test('rolls back a schema change with its transaction', async () => {
    const database = await openDatabase(place.location);
    const failed = database.transaction().execute(async (transaction) => {
      await sql`create table passing (id text)`.execute(transaction);
      await sql`alter table workspaces add column passing text`.execute(transaction);
      throw new Error('undone');
    });
    await expect(failed).rejects.toThrow('undone');
    expect(await tablesOf(database)).not.toContain('passing');
    await database.insertInto('workspaces').values(workspace('x')).execute();
    expect(await database.selectFrom('workspaces').selectAll().execute()).toEqual([workspace('x')]);
    await database.destroy();
  });

  test('runs more different statements than it keeps prepared', async () => {
    const database = await openDatabase(place.location);
    await database.insertInto('workspaces').values(workspace('x')).execute();
    for (let count = 1; count < 260; count += 1) {
      const ids = Array.from({ length: count }, (_, index) => (index === 0 ? 'x' : `no-${index}`));
      const rows = await database.selectFrom('workspaces').select('id').where('id', 'in', ids).execute();
      expect(rows).toEqual([{ id: 'x' }]);
    }
    await database.destroy();
  });

  test('a file that is not a database is reported as unavailable', async () => {
    writeFileSync(file, 'a text of more than a hundred bytes, so that it is looked at as a database '.repeat(3));
    await expect(openDatabase(place.location)).rejects.toThrow(DatabaseUnavailable);
    await expect(openDatabase({ kind: 'sqlite', file: dirname(file) })).rejects.toThrow(DatabaseUnavailable);
  });
});

describe.skipIf(databases.length === 1)('Postgres', () => {
  test('connections that the server closes are replaced', async () => {
    const place = await (databases[1] as (typeof databases)[number]).location();
    const database = await openDatabase(place.location);
    const ended = await database.connection().execute(async (killer) => {
      // A connection is taken with its first statement.
      await ping(killer);
      await ping(database);
      return sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`.execute(killer);
    });
    expect(ended.rows.length).toBeGreaterThan(0);
    await expect
      .poll(() =>
        ping(database).then(
          () => 'answers',
          () => 'fails',
        ),
      )
      .toBe('answers');
    await database.destroy();
    await place.drop();
  });

  test('an unreachable server and an unknown database are reported as unavailable', async () => {
    const nobody = openDatabase({ kind: 'postgres', url: 'postgres://user:hunter2@127.0.0.1:1/none' });
    await expect(nobody).rejects.toThrow(DatabaseUnavailable);
    await expect(nobody).rejects.not.toThrow(/hunter2/);
    const place = await (databases[1] as (typeof databases)[number]).location();
    await place.drop();
    await expect(openDatabase(place.location)).rejects.toThrow(DatabaseUnavailable);
  });
});
