/** Rows as one parameter, on both databases. */
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connectForMigrations } from '../../src/store/database.ts';
import { isOneOf, rowsTable, rowsText } from '../../src/store/json.ts';
import { databases } from '../support/databases.ts';

const columns = { name: 'text', at: 'bigint' } as const;

describe.each(databases)('on $name', (dialect) => {
  async function connect() {
    const location = await dialect.location();
    onTestFinished(() => location.drop());
    const database = await connectForMigrations(location.location);
    onTestFinished(() => database.destroy());
    return { database };
  }

  test('each value arrives under its name, whatever the order of an object', async () => {
    const { database } = await connect();
    const rows = rowsText(columns, [
      { at: 1_795_535_709_115, name: `"quoted", [1] 'é' \u2028` },
      { name: '', at: 0 },
      { name: null, at: null },
    ]);
    const read = await sql`select name, at from ${rowsTable('given', rows)}`.execute(database);
    expect(read.rows).toEqual([
      { name: `"quoted", [1] 'é' \u2028`, at: 1_795_535_709_115 },
      { name: '', at: 0 },
      { name: null, at: null },
    ]);
  });

  test('no rows are a table without rows', async () => {
    const { database } = await connect();
    const read = await sql`select name, at from ${rowsTable('given', rowsText(columns, []))}`.execute(database);
    expect(read.rows).toEqual([]);
  });

  test('an id is one of several, and none is one of none', async () => {
    const { database } = await connect();
    const rows = rowsText(columns, [
      { name: 'a', at: 1 },
      { name: 'b', at: 2 },
    ]);
    const found = async (ids: readonly string[]) => {
      const given = rowsTable('given', rows);
      return (await sql<{ at: number }>`select at from ${given} where ${isOneOf('name', ids)}`.execute(database)).rows;
    };
    expect(await found(['b', 'c'])).toEqual([{ at: 2 }]);
    expect(await found([])).toEqual([]);
  });
});

test('a row repeats no name of a column', () => {
  const { text } = rowsText(columns, [{ name: 'a', at: 1 }]);
  expect(text).toBe('[["a",1]]');
});
