/** Statements that are compiled once for all values that they bind, and on SQLite executed without a thread. */
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { deliveryList } from '../../src/capabilities/deliveries/listed.ts';
import { jobList } from '../../src/capabilities/jobs/repository.ts';
import { webhookList } from '../../src/capabilities/webhooks/listed.ts';
import type { Caller } from '../../src/kernel/caller.ts';
import { type Database, openDatabase, openUnmigrated } from '../../src/store/database.ts';
import { postgresDefaults } from '../../src/store/postgres-settings.ts';
import { shortRead, shortReadByIds } from '../../src/store/short-reads.ts';
import { databases } from '../support/databases.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

describe.each(databases)('short reads on $name', (dialect) => {
  async function connect() {
    const location = await dialect.withSchema();
    onTestFinished(() => location.drop());
    const database = await openDatabase(location.location);
    onTestFinished(() => database.destroy());
    await database.insertInto('workspaces').values(['a', 'b'].map(workspace)).execute();
    return database;
  }
  const workspace = (id: string) => ({ id, name: `Workspace ${id}`, created_at: 1 });
  const whole = { workspaceId: 'a', accountIds: null };

  test('bind each value in its place, with one text for all', async () => {
    const database = await connect();
    const build = vi.fn((bound: { id: string; createdAt: number }) =>
      database
        .selectFrom('workspaces')
        .select('name')
        .where('created_at', '=', bound.createdAt)
        .where('id', '=', bound.id),
    );
    const read = (id: string, createdAt = 1) => shortRead(database, { name: 'test', bound: { id, createdAt }, build });
    expect(await read('a')).toEqual([{ name: 'Workspace a' }]);
    expect(await read('b')).toEqual([{ name: 'Workspace b' }]);
    expect(await read('b', 2)).toEqual([]);
    expect(build).toHaveBeenCalledTimes(1);
  });

  test('see what their transaction has written, and nobody else does', async () => {
    const database = await connect();
    const find = (reader: typeof database) =>
      shortReadByIds(reader, 'test by ids', ['a', 'c'], whole, (_, ids) =>
        database.selectFrom('workspaces').select('id').where('id', 'in', ids),
      );
    await database.transaction().execute(async (transaction) => {
      await transaction.insertInto('workspaces').values(workspace('c')).execute();
      expect((await find(transaction)).map(({ id }) => id).sort()).toEqual(['a', 'c']);
      if (dialect.name === 'SQLite') expect(await find(database)).toEqual([{ id: 'a' }]);
    });
    expect(await find(database)).toHaveLength(2);
  });

  const ofFirst = { workspaceId: 'first workspace', keyId: 'first key', accountIds: null, scopes: new Set() };
  const first = ofFirst as unknown as Caller;

  test('have nothing of the caller who comes first in their texts, which all workspaces share', async () => {
    const database = await connect();
    const lists = [
      webhookList({ database }, first, {}),
      webhookList({ database }, first, { health_states: ['failing', 'healthy'] }),
      deliveryList(database, first, { webhook_id: 'first webhook', states: ['failed'] }),
      jobList(database, first, {}, true),
    ];
    for (const list of lists) {
      if (!('bound' in list)) throw new Error('The list is not short');
      expect(list.name).not.toContain('first');
      const bound = Object.fromEntries(Object.keys(list.bound).map((key) => [key, Symbol(key)]));
      const query = list.queryOf(bound as never);
      const { parameters } = (typeof query === 'function' ? query(null, 5, null) : query).compile();
      expect(parameters.filter((value) => typeof value === 'symbol').length).toBeGreaterThan(0);
      expect(parameters.filter((value) => String(value).startsWith('first'))).toEqual([]);
    }
  });

  test('are no lists whose filters look at each row: thousands would hold up whoever else is served', async () => {
    const database = await connect();
    const limited = { ...first, accountIds: new Set(['a']) };
    const lists = [
      ...[{ query: 'x' }, { events: ['message_received'] }, { account_id: 'a' }, { is_enabled: false }].map((filter) =>
        webhookList({ database }, first, filter as object),
      ),
      webhookList({ database }, first, { health_states: ['failing'], order_by: 'name_asc' }),
      webhookList({ database }, limited, {}),
      jobList(database, first, { query: 'x' }, false),
      jobList(database, limited, {}, false),
      deliveryList(database, first, {}),
      deliveryList(database, first, { webhook_id: 'w', events: ['message_received'] }),
      deliveryList(database, first, { webhook_id: 'w', event_id: 'e' }),
      deliveryList(database, limited, { webhook_id: 'w' }),
    ];
    expect(lists.filter((list) => 'bound' in list)).toEqual([]);
  });

  test('forget texts beyond 500', async () => {
    const database = await connect();
    const build = vi.fn(() => database.selectFrom('workspaces').select('id'));
    const read = (name: string) => shortRead(database, { name, bound: {}, build });
    await read('first');
    for (let n = 0; n < 499; n += 1) await read(`filter ${n}`);
    await read('first');
    expect(build).toHaveBeenCalledTimes(500);
    for (let n = 499; n < 1_000; n += 1) await read(`filter ${n}`);
    await read('first');
    expect(build).toHaveBeenCalledTimes(1_002);
  });

  test('reject as the database does, and refuse a value that makes the text', async () => {
    const database = await connect();
    const broken = {
      name: `broken ${dialect.name}`,
      bound: {},
      build: () => sql`select id from nowhere`.compile(database),
    };
    await expect(shortRead(database, { ...broken, build: () => ({ compile: broken.build }) })).rejects.toThrow(
      /nowhere/,
    );
    const computed = shortRead(database, {
      ...{ name: 'computed', bound: { id: 'a' } },
      build: ({ id }) => database.selectFrom('workspaces').select('id').where('id', '=', `${id}!`),
    });
    await expect(computed).rejects.toThrow(TypeError);
  });
});

const postgres = databases.find(({ name }) => name === 'Postgres');

describe.skipIf(postgres === undefined)('short reads that begin together on Postgres', () => {
  async function connect({ connections = 20, queryTimeoutMs = 30_000 }) {
    if (postgres === undefined) throw new Error('There is no Postgres');
    const place = await postgres.location();
    onTestFinished(() => place.drop());
    const proxy = await startTcpProxy(place.url);
    onTestFinished(() => proxy.close());
    const settings = { ...postgresDefaults, connections, queryTimeoutMs };
    const location = { kind: 'postgres', url: proxy.through(place.url), settings } as const;
    const database = await openUnmigrated(location, { prepares: 'repeated' });
    onTestFinished(() => database.destroy());
    return { database, proxy };
  }
  const pid = sql<number>`pg_backend_pid()`.as('pid');
  const read = (database: Database, name = 'process', value = sql<number>`1`) =>
    shortRead(database, { name, bound: {}, build: () => database.selectNoFrom([pid, value.as('value')]) });

  test('share connections, 16 of them one, and each has the rows that it asked for', async () => {
    const { database } = await connect({});
    const numbers = Array.from({ length: 40 }, (_, n) => n);
    const build = (bound: { n: number }) =>
      database.selectNoFrom([pid, sql<number>`cast(${bound.n} as bigint)`.as('n')]);
    const rows = (
      await Promise.all(numbers.map((n) => shortRead(database, { name: 'n', bound: { n }, build })))
    ).flat();
    expect(rows.map(({ n }) => n)).toEqual(numbers);
    const counts = Map.groupBy(rows, ({ pid: of }) => of);
    expect([...counts.values()].map(({ length }) => length)).toEqual([16, 16, 8]);
  });

  test('fail each for itself', async () => {
    const { database } = await connect({ connections: 1 });
    const reads = [read(database), read(database, 'refused', sql`1 / 0`), read(database)];
    const results = await Promise.allSettled(reads);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await read(database)).toEqual(await reads[0]);
  });

  test('are slow behind others that take all the time, and leave other connections alone', async () => {
    const { database } = await connect({ connections: 2, queryTimeoutMs: 1_000 });
    const build = () => database.selectNoFrom([pid, sql`pg_sleep(0.1)`.as('slept')]);
    const begun = (await Promise.all([build().execute(), build().execute()])).flat();
    const reads = Array.from({ length: 16 }, () => shortRead(database, { name: 'slow', bound: {}, build }));
    const [first, ...others] = await Promise.allSettled(reads);
    expect(first?.status).toBe('fulfilled');
    expect(others.at(-1)).toMatchObject({ reason: { reason: 'slow' } });
    expect(begun.map((row) => row.pid)).toContain((await read(database))[0]?.pid);
  });

  test('leave a connection that has lost what was prepared', async () => {
    const { database } = await connect({ connections: 1 });
    for (let n = 0; n < 4; n += 1) await read(database);
    await sql`deallocate all`.execute(database);
    await expect(read(database)).rejects.toMatchObject({ reason: 'unavailable' });
    expect(await read(database)).toHaveLength(1);
  });

  test('all end when the server falls silent, and later ones have another connection', async () => {
    const { database, proxy } = await connect({ connections: 1, queryTimeoutMs: 300 });
    await read(database);
    proxy.silence();
    const results = await Promise.allSettled([read(database), read(database), read(database)]);
    expect(results.map((result) => result.status === 'rejected' && result.reason.reason)).toEqual(
      Array(3).fill('unavailable'),
    );
    expect(await read(database)).toHaveLength(1);
  });
});
