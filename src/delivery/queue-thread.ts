/**
 * Where the transactions of the queue run. `node:sqlite` works in the thread that calls it, and the disk is a part of its
 * work: a database in a file gets a thread for them, so that requests go on while results are being stored. Postgres is a
 * process of its own already, and a database in memory belongs to the connection that created it.
 */
import { Worker } from 'node:worker_threads';
import type { Database, DatabaseLocation } from '../store/database.ts';
import type { Notifications } from '../store/notifications.ts';
import { type QueueOrder, type QueueReport, settleAndClaim } from './queue-transaction.ts';

export interface QueueTransactions {
  /** Settles and claims in one transaction, and notifies with its commit. */
  run(order: QueueOrder): Promise<QueueReport>;
  /** Resolves when the transaction in progress has ended. */
  close(): Promise<void>;
}

/** @param database the connection of this thread, migrated to the current schema */
export function openQueueTransactions(
  database: Database,
  location: DatabaseLocation,
  notifications: Pick<Notifications, 'transaction' | 'publish'>,
): QueueTransactions {
  if (location.kind === 'sqlite' && location.file !== ':memory:') {
    const thread = openQueueThread(location.file);
    return {
      async run(order) {
        // The one connection of this thread is held meanwhile. Two connections of one process that wait for each other at
        // the file would have to sleep.
        const report = await database.connection().execute(() => thread.run(order));
        notifications.publish({ work: false, deliveryIds: report.changed });
        return report;
      },
      close: thread.close,
    };
  }
  return {
    run: (order) =>
      notifications.transaction(async (transaction, changed) => {
        const report = await settleAndClaim(transaction, location.kind, order);
        changed.deliveries(report.changed);
        return report;
      }),
    close: async () => {},
  };
}

/** A job for the thread; null asks it to close its database and end. */
export type QueueJob = { readonly id: number; readonly order: QueueOrder } | null;

/** What the thread makes of a job. */
export type QueueJobResult = { readonly id: number } & ({ readonly report: QueueReport } | { readonly error: unknown });

/**
 * A thread that runs {@link settleAndClaim}. An error of a job rejects that job. If the thread itself dies, the jobs in
 * flight are rejected, and the next job starts another thread.
 * @param entry the program of the thread, which tests replace
 */
export function openQueueThread(
  file: string,
  entry: URL = new URL('./queue-thread-entry.ts', import.meta.url),
): QueueTransactions {
  const inFlight = new Map<number, PromiseWithResolvers<QueueReport>>();
  let thread: Worker | null = null;
  let lastId = 0;

  const start = (): Worker => {
    const started = new Worker(entry, { workerData: file });
    let cause: unknown;
    started.on('message', (result: QueueJobResult) => {
      const job = inFlight.get(result.id);
      inFlight.delete(result.id);
      if ('report' in result) job?.resolve(result.report);
      else job?.reject(result.error);
    });
    // An uncaught error ends the thread: "exit" follows.
    started.on('error', (error) => {
      cause = error;
    });
    started.on('exit', () => {
      thread = null;
      for (const job of inFlight.values()) job.reject(new Error('The thread of the queue ended', { cause }));
      inFlight.clear();
    });
    return started;
  };
  return {
    run(order) {
      const job = Promise.withResolvers<QueueReport>();
      lastId += 1;
      inFlight.set(lastId, job);
      thread ??= start();
      thread.postMessage({ id: lastId, order } satisfies QueueJob);
      return job.promise;
    },
    async close() {
      await Promise.allSettled([...inFlight.values()].map(({ promise }) => promise));
      const open = thread;
      if (open === null) return;
      const ended = new Promise((resolve) => open.once('exit', resolve));
      open.postMessage(null satisfies QueueJob);
      await ended;
    },
  };
}
