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
import { startGateway } from '../support/gateway.ts';

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

test.each(databases)(
  'a page of 140 webhooks for 250 accounts each on $name',
  { timeout: 120_000 },
  async ({ withSchema }) => {
    const place = await withSchema();
    const gateway = await startGateway({ environment: { DATABASE_URL: place.url } });
    const workspace = await gateway.workspace();
    const account_ids = [await workspace.account()];
    const headers = { 'x-api-key': workspace.key, 'content-type': 'application/json' };
    const body = JSON.stringify({ source: 'users', request_url: 'https://hooks.example/in', account_ids });
    await fetch(`${gateway.address}/v1/webhooks`, { method: 'POST', headers, body });
    const { database } = gateway.app;
    const account = await database
      .selectFrom('accounts')
      .selectAll()
      .where('id', 'in', account_ids)
      .executeTakeFirstOrThrow();
    // The database makes the key of the name.
    const { name_key: _, ...webhook } = await database.selectFrom('webhooks').selectAll().executeTakeFirstOrThrow();
    const idOf = (number: number) => `${String(number).padStart(21, '0')}A`;
    for (let number = 0; number < 140; number += 1) {
      const ids = Array.from({ length: 250 }, (_, at) => idOf(number * 250 + at));
      await database
        .insertInto('accounts')
        .values(ids.map((id) => ({ ...account, id })))
        .execute();
      await database
        .insertInto('webhooks')
        .values({ ...webhook, id: idOf(number), account_ids: JSON.stringify(ids) })
        .execute();
    }
    const page = await fetch(`${gateway.address}/v1/webhooks?limit=250`, { headers });
    expect(page.status).toBe(200);
    const { items } = (await page.json()) as { items: { account_ids: unknown[] }[] };
    expect(
      items
        .map((item) => item.account_ids.length)
        .sort((a, b) => b - a)
        .slice(0, 140),
    ).toEqual(Array(140).fill(250));
    await gateway.close();
    await place.drop();
  },
);
