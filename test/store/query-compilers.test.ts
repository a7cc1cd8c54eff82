/**
 * Lists out of data are of any length: a statement has fewer parameters than a database takes. SQLite prepares a plain
 * bound limit again for each execution.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { amongAccounts } from '../../src/store/conditions.ts';
import { openDatabase } from '../../src/store/database.ts';
import { databases } from '../support/databases.ts';

test.each(databases)('a list of 70,000 ids and numbers on $name', async ({ withSchema }) => {
  const place = await withSchema();
  const database = await openDatabase(place.location);
  await database
    .insertInto('workspaces')
    .values(['a', `"{,'\\`, 'c'].map((id, at) => ({ id, name: id, created_at: at })))
    .execute();
  const many = Array.from({ length: 70_000 }, (_, at) => `id ${at}`);
  const read = database.selectFrom('workspaces').select('id').orderBy('created_at');
  const ids = [...many, `"{,'\\`, 'c'];
  const found = [{ id: `"{,'\\` }, { id: 'c' }];
  expect(await read.where('id', 'in', ids).execute()).toEqual(found);
  expect(await read.where(amongAccounts(ids, 'id')).execute()).toEqual(found);
  expect(await read.where('created_at', 'in', [...many.keys()].slice(1)).execute()).toEqual(found);
  const short = ['a', 'c'];
  expect(await read.where('id', 'in', short).execute()).toEqual([{ id: 'a' }, { id: 'c' }]);
  await database.destroy();
  await place.drop();
});

const src = join(import.meta.dirname, '../../src');

const filesWith = (pattern: RegExp) =>
  readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && pattern.test(readFileSync(join(src, file), 'utf8')),
  );

test('no statement joins a list out of data by itself', () => {
  expect(filesWith(/\bin \(\$\{sql\.join/)).toEqual([]);
});

test('no statement binds its limit on SQLite', async () => {
  expect(filesWith(/\blimit \$\{(?!sql\.lit\()/)).toEqual([]);
  expect(filesWith(/\blimit 0 \+/)).toEqual(['store/query-compilers.ts']);
  const database = await openDatabase({ kind: 'sqlite', file: ':memory:' });
  const page = database.selectFrom('webhooks').select('id').limit(51);
  expect(page.compile()).toMatchObject({ parameters: [51], sql: expect.stringMatching(/ limit 0 \+ \?$/) });
  await database.destroy();
});
