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

port.on('message', async (job: ThreadJob<QueueOrder>) => {
  if (job === null) {
    await database.destroy();
    port.close();
    return;
  }
  const { id, order } = job;
  try {
    const report = await database.transaction().execute((transaction) => settleAndClaim(transaction, 'sqlite', order));
    send({ id, report });
  } catch (error) {
    send({ id, error });
  }
});
