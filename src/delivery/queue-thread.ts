/**
 * Where the transactions of the queue run. `node:sqlite` works in the thread that calls it, and the disk is a part of its
 * work: a database in a file gets a thread for them, so that requests go on while results are being stored. Postgres is a
 * process of its own already, and a database in memory belongs to the connection that created it.
 */
import type { DatabaseLocation } from '../store/database.ts';
import type { Notifications } from '../store/notifications.ts';
import { openThread } from '../store/thread.ts';
import { writeLockOf } from '../store/write-lock.ts';
import { type QueueOrder, type QueueReport, settleAndClaim } from './queue-transaction.ts';

export interface QueueTransactions {
  /** Settles and claims in one transaction, and notifies with its commit. */
  run(order: QueueOrder): Promise<QueueReport>;
  /** Resolves when the transaction in progress has ended. */
  close(): Promise<void>;
}

/** @param location migrated to the current schema */
export function openQueueTransactions(
  location: DatabaseLocation,
  notifications: Pick<Notifications, 'transaction' | 'publish'>,
): QueueTransactions {
  if (location.kind === 'sqlite' && location.file !== ':memory:') {
    const thread = openQueueThread(location.file);
    const lock = writeLockOf(location.file);
    return {
      async run(order) {
        const release = await lock.acquire();
        const report = await thread.run(order).finally(release);
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

/**
 * A thread that runs {@link settleAndClaim}.
 * @param entry the program of the thread, which tests replace
 */
export const openQueueThread = (
  file: string,
  entry: URL = new URL('./queue-thread-entry.ts', import.meta.url),
): QueueTransactions => openThread<QueueOrder, QueueReport>(entry, file, 'queue');
