import { expect, it } from 'vitest';
import { openSqlite } from '../../src/store/sqlite.ts';
import { temporaryDirectory } from '../support/process.ts';

it('rows of all columns have the names of now, after another process has changed as many', async () => {
  await using directory = await temporaryDirectory();
  const [ours, others] = [0, 1].map(() => openSqlite(`${directory.path}/rows.db`));
  if (ours === undefined || others === undefined) throw new Error('two were opened');
  ours.prepare('create table "kept" (a text, b text)').run([]);
  ours.prepare(`insert into "kept" values ('1', '2')`).run([]);
  const all = ours.prepare('select * from "kept"');
  expect(all.all([])).toEqual([{ a: '1', b: '2' }]);
  others.prepare('alter table "kept" drop column a').run([]);
  others.prepare(`alter table "kept" add column c text default '3'`).run([]);
  expect(all.all([])).toEqual([{ b: '2', c: '3' }]);
  expect(ours.prepare('select b as name from "kept"').all([])).toEqual([{ name: '2' }]);
  for (const each of [ours, others]) each.close();
});
