/** SQLite in threads: what waits for the file, or for a transaction, holds up nothing else. */
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { inThread } from '../../src/store/sqlite-threads.ts';
import { resultsPerRound } from '../../src/store/thread.ts';
import { databases, type TestDatabase } from '../support/databases.ts';
import { startDelivering } from '../support/deliveries.ts';
import { startReceiver } from '../support/receiver.ts';

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

it('the WAL gives back what a large transaction took', async () => {
  await database.transaction().execute(async (transaction) => {
    for (let row = 0; row < 8; row += 1) {
      await transaction
        .insertInto('workspaces')
        .values({ id: `${row}`, name: `${row}${'x'.repeat(4_194_304)}`, created_at: 1 })
        .execute();
    }
  });
  // The first write after a checkpoint begins the file anew.
  await insert('a');
  await insert('b');
  expect(statSync(`${file()}-wal`).size).toBeLessThanOrEqual(16_777_216);
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

it('rows come as they are stored, in one text of the thread', async () => {
  const names = ['', 'quote " and \\', 'línea\n\u2028 🚀', 'x'.repeat(100_000)];
  for (const [at, name] of names.entries()) {
    const row = { id: String(at), name, created_at: Number.MAX_SAFE_INTEGER - at };
    await database.insertInto('workspaces').values(row).execute();
  }
  const received: unknown[] = [];
  const { emit } = Worker.prototype;
  const messages = vi.spyOn(Worker.prototype, 'emit').mockImplementation(function (this: Worker, ...event) {
    if (event[0] === 'message') received.push(event[1]);
    return emit.apply(this, event);
  });
  const rows = await database.selectFrom('workspaces').selectAll().orderBy('id').execute();
  messages.mockRestore();
  expect(rows).toMatchObject(names.map((name, at) => ({ name, created_at: Number.MAX_SAFE_INTEGER - at })));
  expect(received).toMatchObject([{ report: { read: expect.any(String) } }]);
});

it('results that arrive together are handed out in several rounds of the event loop', async () => {
  let inRound = 0;
  let most = 0;
  let isReading = true;
  const endRound = () => {
    inRound = 0;
    if (isReading) setImmediate(endRound);
  };
  const read = () =>
    database
      .selectFrom('workspaces')
      .select('id')
      .execute()
      .then(() => {
        inRound += 1;
        most = Math.max(most, inRound);
      });
  await read();
  endRound();
  const reads = Array.from({ length: 640 }, read);
  await pause(1);
  // Until the thread has answered all.
  const until = performance.now() + 300;
  while (performance.now() < until);
  await Promise.all(reads);
  isReading = false;
  expect(most).toBeLessThanOrEqual(2 * resultsPerRound);
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

/** As a module whose transaction inserts workspaces, one after the other. */
const inserting = new URL(`data:text/javascript,
  export async function transact(transaction, ids) {
    for (const id of ids) await transaction.insertInto('workspaces').values({ id, name: id, created_at: 1 }).execute();
    return { inserted: ids.length };
  }`);

it('a transaction of a module is one order for the thread, and waits for other writers', async () => {
  await insert('a');
  const post = vi.spyOn(Worker.prototype, 'postMessage');
  const results: unknown[] = [];
  let other = Promise.resolve();
  await database.transaction().execute(async (transaction) => {
    other = Promise.resolve(inThread(database)?.(inserting, ['b', 'c'])).then((result) => void results.push(result));
    await pause(20);
    expect(results).toEqual([]);
    await insert('d', transaction);
  });
  await other;
  expect(results).toEqual([{ inserted: 2 }]);
  expect(post.mock.calls.filter(([job]) => job?.order.module !== undefined)).toHaveLength(1);
  post.mockRestore();
  expect(await ids()).toEqual(['a', 'b', 'c', 'd']);
});

it('the statements of the queue are not handed over one by one', async () => {
  const [dialect] = databases;
  if (dialect === undefined) throw new Error('there is no SQLite');
  const receiver = await startReceiver();
  const gateway = await startDelivering({ dialect, environment: { OUTBOUND_ALLOW: '127.0.0.0/8' } });
  try {
    const post = vi.spyOn(Worker.prototype, 'postMessage');
    const ordersOf = async (work: () => Promise<unknown>): Promise<string[]> => {
      post.mockClear();
      await work();
      await gateway.delivery.worker.idle();
      return post.mock.calls.flatMap(([job]) => job?.order?.module ?? job?.order?.sql ?? []);
    };
    const isModule = (order: string) => order.endsWith('queue-transaction.ts');
    // A thread that nothing is delivered by has no use for Kysely.
    const looking = await ordersOf(() => gateway.webhook(receiver.address));
    expect(looking.filter(isModule)).toEqual([]);
    const delivering = await ordersOf(() => gateway.emit('n'));
    post.mockRestore();
    expect(delivering.filter(isModule)).not.toEqual([]);
    expect(delivering.filter((order) => /insert into (delivery_attempts|webhook_statistics)/.test(order))).toEqual([]);
  } finally {
    await gateway.close();
    await receiver.close();
  }
});
