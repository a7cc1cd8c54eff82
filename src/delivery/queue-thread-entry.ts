/** The program of the thread that the transactions of the queue run in, on a database connection of its own. */
import { parentPort, workerData } from 'node:worker_threads';
import { Kysely } from 'kysely';
import type { Tables } from '../store/schema.ts';
import { sqliteDialect } from '../store/sqlite-dialect.ts';
import type { ThreadJob, ThreadResult } from '../store/thread.ts';
import { type QueueOrder, type QueueReport, settleAndClaim } from './queue-transaction.ts';

if (parentPort === null) throw new Error('This is the program of a thread');
const port = parentPort;
const database = new Kysely<Tables>({ dialect: sqliteDialect(workerData) });
const send = (result: ThreadResult<QueueReport>) => port.postMessage(result);

/** Ends the thread, with its error for whoever started it. */
const fail = (error: unknown): void => {
  setImmediate(() => {
    throw error;
  });
};

port.on('message', (job: ThreadJob<QueueOrder>) => {
  if (job === null) close().catch(fail);
  else run(job).catch(fail);
});

async function close(): Promise<void> {
  await database.destroy();
  port.close();
}

async function run({ id, order }: NonNullable<ThreadJob<QueueOrder>>): Promise<void> {
  try {
    const report = await database.transaction().execute((transaction) => settleAndClaim(transaction, 'sqlite', order));
    send({ id, report });
  } catch (error) {
    send({ id, error });
  }
}
