/** Pages of a list and rows by their ids: the same on every database, and read from an index. */
import { randomBytes } from 'node:crypto';
import { CompiledQuery } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { cursorCodec } from '../../src/kernel/paging.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { byCreation, pageQuery, selectPage } from '../../src/store/keyset.ts';
import { findByIds } from '../../src/store/reads.ts';
import { databases, type TestDatabase } from '../support/databases.ts';

const cursors = cursorCodec(randomBytes(32), 'base64url');

const row = (id: string, created_at: number) => ({
  id,
  workspace_id: 'w',
  name: null,
  type: 'PNET',
  status: 'OK',
  session: 'ok',
  created_at,
});

describe.each(databases)('on $name', (dialect) => {
  let place: TestDatabase;
  let database: Database;

  beforeEach(async () => {
    place = await dialect.withSchema();
    database = await openDatabase(place.location);
    await database.insertInto('workspaces').values({ id: 'w', name: 'w', created_at: 1 }).execute();
    const times = [3, 1, 2, 2, 2, 1, 4];
    await database
      .insertInto('accounts')
      .values(times.map((time, index) => row(`a${index}`, time)))
      .execute();
  });
  afterEach(async () => {
    await database.destroy();
    await place.drop();
  });

  const accounts = () => database.selectFrom('accounts').selectAll().where('workspace_id', '=', 'w');
  const page = (order: 'asc' | 'desc', cursor?: string, limit = 2) =>
    selectPage(accounts(), byCreation('accounts', order), { cursors, scope: ['accounts', order], cursor, limit });

  test.each([
    ['asc', 'a1 a5 a2 a3 a4 a0 a6'],
    ['desc', 'a6 a0 a4 a3 a2 a5 a1'],
  ] as const)('pages in %s order neither skip nor repeat rows of the same time', async (order, expected) => {
    const pages: (readonly { readonly id: string }[])[] = [];
    let cursor: string | undefined;
    do {
      const { items, cursor: next } = await page(order, cursor);
      pages.push(items);
      cursor = next ?? undefined;
    } while (cursor !== undefined);
    expect(pages.map(({ length }) => length)).toEqual([2, 2, 2, 1]);
    expect(
      pages
        .flat()
        .map(({ id }) => id)
        .join(' '),
    ).toBe(expected);
  });

  test('a page has a cursor if a row is left behind it, and none if it is full with the last one', async () => {
    for (const [limit, left] of [
      [6, expect.any(String)],
      [7, null],
    ] as const) {
      const { items, cursor } = await page('asc', undefined, limit);
      expect(items).toHaveLength(limit);
      expect(cursor).toEqual(left);
    }
  });

  test('a row that is created between two pages does not shift the next page', async () => {
    const first = await page('desc');
    await database.insertInto('accounts').values(row('late', 9)).execute();
    expect((await page('desc', first.cursor ?? undefined)).items.map(({ id }) => id)).toEqual(['a4', 'a3']);
  });

  test('a cursor of another list is refused', async () => {
    const { cursor } = await page('asc');
    await expect(page('desc', cursor ?? undefined)).rejects.toMatchObject({ errorName: 'invalid_parameters' });
    const other = cursors.seal(['accounts', 'asc'], ['one column']);
    await expect(page('asc', other)).rejects.toMatchObject({ errorName: 'invalid_parameters' });
  });

  test('a page is one range of the index, without a sort', async () => {
    const { sql: text, parameters } = pageQuery(accounts(), byCreation('accounts', 'desc'), [2, 'a3'], 3).compile();
    const explain = dialect.name === 'SQLite' ? 'explain query plan' : 'explain';
    const plan = await database.connection().execute(async (connection) => {
      // A table of seven rows is read faster without its index.
      if (dialect.name === 'Postgres') await connection.executeQuery(CompiledQuery.raw('set enable_seqscan = off'));
      return connection.executeQuery(CompiledQuery.raw(`${explain} ${text}`, [...parameters]));
    });
    const lines = plan.rows.flatMap((row) => Object.values(row as Record<string, unknown>)).join('\n');
    expect(lines).toMatch(
      dialect.name === 'SQLite'
        ? /USING INDEX accounts_by_workspace \(workspace_id=\? AND \(created_at,id\)<\(\?,\?\)\)/
        : /Index Scan Backward using accounts_by_workspace[\s\S]*Index Cond:.*ROW\(created_at, id\) < ROW/,
    );
    expect(lines).not.toMatch(/TEMP B-TREE|Sort/);
  });

  test('rows by id come in the order of the ids, with one query that no malformed id reaches', async () => {
    const reads: (readonly string[])[] = [];
    const find = (ids: readonly string[]) =>
      findByIds(
        ids,
        (id) => id.startsWith('a'),
        (findable) => {
          reads.push(findable);
          return accounts().where('id', 'in', findable).execute();
        },
      );
    expect((await find(['a3', 'x', 'a99', 'a0', 'a3'])).map((found) => found?.id ?? null)).toEqual([
      'a3',
      null,
      null,
      'a0',
      'a3',
    ]);
    expect(await find(['x', 'y'])).toEqual([null, null]);
    expect(reads).toEqual([['a3', 'a99', 'a0', 'a3']]);
  });
});
