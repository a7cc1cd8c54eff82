/** The thread that the transactions of the queue run in on SQLite. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openQueueThread } from '../../src/delivery/queue-thread.ts';
import type { QueueOrder } from '../../src/delivery/queue-transaction.ts';
import { openDatabase } from '../../src/store/database.ts';
import { databases, type TestDatabase } from '../support/databases.ts';

const bytes = { total: 1_000, perDestination: new Map([['a', 1]]), default: 1_000 };
const order: QueueOrder = {
  settlement: null,
  releases: [],
  quota: { total: 1, perDestination: new Map([['a', 1]]), default: 1, bytes, cursor: '' },
  claimToken: 'token',
  leaseMs: 1,
  latestFirst: false,
  now: 0,
};
const nothing = { changed: [], claimed: [], disabled: [], more: false, unfinished: false };

describe('the thread of the queue', () => {
  let place: TestDatabase;
  const file = () => (place.location.kind === 'sqlite' ? place.location.file : '');

  beforeEach(async () => {
    const [sqlite] = databases;
    if (sqlite === undefined) throw new Error('there is no SQLite');
    place = await sqlite.location();
  });
  afterEach(() => place.drop());

  it('runs transactions, and closing waits for those in progress', async () => {
    await (await openDatabase(place.location)).destroy();
    const thread = openQueueThread(file());
    const runs = [thread.run(order), thread.run(order)];
    await thread.close();
    expect(await Promise.all(runs)).toEqual([nothing, nothing]);
    await thread.close();
  });

  it('rejects a transaction with its error, and goes on', async () => {
    const thread = openQueueThread(file());
    const failed = thread.run(order);
    await expect(failed).rejects.toThrow('no such table: deliveries');
    await expect(failed).rejects.toBeInstanceOf(Error);
    await (await openDatabase(place.location)).destroy();
    expect(await thread.run(order)).toEqual(nothing);
    await thread.close();
  });

  it('rejects an order that is no plain data, and waits for none such when it closes', async () => {
    await (await openDatabase(place.location)).destroy();
    const thread = openQueueThread(file());
    await expect(thread.run({ ...order, now: (() => 0) as never })).rejects.toMatchObject({ name: 'DataCloneError' });
    expect(await thread.run(order)).toEqual(nothing);
    await thread.close();
  });

  it('rejects what is in progress when the thread dies, and starts another', async () => {
    // Dies with its first message, unless it is told otherwise by a file that it makes then.
    const program = `import { existsSync, writeFileSync } from 'node:fs';
      import { parentPort, workerData } from 'node:worker_threads';
      parentPort.on('message', (job) => {
        if (job === null) return parentPort.close();
        if (existsSync(workerData)) return parentPort.postMessage({ id: job.id, report: ${JSON.stringify(nothing)} });
        writeFileSync(workerData, '');
        throw new Error('it died');
      });`;
    const thread = openQueueThread(`${file()}.died`, new URL(`data:text/javascript,${encodeURIComponent(program)}`));
    const [first, second] = await Promise.allSettled([thread.run(order), thread.run(order)]);
    const died = { message: 'The thread of the queue ended', cause: { message: 'it died' } };
    expect([first, second]).toMatchObject([
      { status: 'rejected', reason: died },
      { status: 'rejected', reason: died },
    ]);
    expect(await thread.run(order)).toEqual(nothing);
    await thread.close();
  });
});
