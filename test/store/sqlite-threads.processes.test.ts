/** SQLite in threads: what waits for the file, or for a transaction, holds up nothing else. */
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { databases, type TestDatabase } from '../support/databases.ts';

let place: TestDatabase;
let database: Database;
const file = () => (place.location.kind === 'sqlite' ? place.location.file : '');
const workspace = (id: string) => ({ id, name: id, created_at: 1 });
const insert = (id: string, into: Pick<Database, 'insertInto'> = database) =>
  into.insertInto('workspaces').values(workspace(id)).execute();
const ids = async () =>
  (await database.selectFrom('workspaces').select('id').orderBy('id').execute()).map(({ id }) => id);

beforeEach(async () => {
  const [sqlite] = databases;
  if (sqlite === undefined) throw new Error('there is no SQLite');
  place = await sqlite.location();
  database = await openDatabase(place.location);
});
afterEach(async () => {
  await database.destroy();
  await place.drop();
});

it('a file that another process has locked holds up nothing but writes', async () => {
  const other = new DatabaseSync(file());
  other.exec('begin immediate');
  const written = insert('a');
  // The thread of the test goes on, and so do reads.
  await pause(50);
  expect(await ids()).toEqual([]);
  other.exec('commit');
  other.close();
  await written;
  expect(await ids()).toEqual(['a']);
});

it('the writes of a transaction are visible when it has committed, and other writers wait for it', async () => {
  const steps: string[] = [];
  let other = Promise.resolve();
  await database.transaction().execute(async (transaction) => {
    await insert('a', transaction);
    other = insert('b').then(() => void steps.push('the other has written'));
    expect(await ids()).toEqual([]);
    await pause(20);
    steps.push('committing');
  });
  await other;
  expect(steps).toEqual(['committing', 'the other has written']);
  expect(await ids()).toEqual(['a', 'b']);
});

it('an error is the driver’s, and a transaction that fails leaves nothing and no lock', async () => {
  const failed = database.transaction().execute(async (transaction) => {
    await insert('a', transaction);
    await insert('a', transaction);
  });
  await expect(failed).rejects.toThrow('UNIQUE constraint failed: workspaces.name');
  await expect(failed).rejects.toHaveProperty('code', 'ERR_SQLITE_ERROR');
  await insert('b');
  expect(await ids()).toEqual(['b']);
});

it('when the thread dies in a transaction, none of it is stored, and the next one finds another thread', async () => {
  const post = vi.spyOn(Worker.prototype, 'postMessage');
  const lost = database.transaction().execute(async (transaction) => {
    await insert('a', transaction);
    await (post.mock.contexts.at(-1) as Worker).terminate();
    await insert('b', transaction);
  });
  await expect(lost).rejects.toMatchObject({
    reason: 'unavailable',
    cause: { message: 'The transaction ended with the thread of the database' },
  });
  post.mockRestore();
  await insert('c');
  expect(await ids()).toEqual(['c']);
});

it('when the thread dies in a commit, the outcome of the transaction is unknown', async () => {
  const { postMessage } = Worker.prototype;
  const post = vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (this: Worker, job) {
    if (job?.order.sql === 'commit') void this.terminate();
    Reflect.apply(postMessage, this, [job]);
  });
  const lost = database.transaction().execute((transaction) => insert('a', transaction));
  await expect(lost).rejects.toMatchObject({ outcomeUnknown: true, type: 'errors/request_timeout' });
  post.mockRestore();
  await insert('b');
  expect(await ids()).toContain('b');
});
