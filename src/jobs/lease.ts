/**
 * A lease lets one request at a time act on a posting while it talks to the network, across all processes that share the
 * database: of two requests that publish the same draft at once, one publishes it. A lock held in a transaction would not
 * do: the network may take seconds, and a process that dies must not keep the posting locked.
 */
import { ServiceError } from '../errors.ts';
import { providerDeadlineMs } from '../providers/with-deadlines.ts';
import type { Database } from '../store/database.ts';
import type { JobTable } from '../store/schema.ts';

/** Longer than any single call to a network. */
const leaseMs = 2 * providerDeadlineMs;

/** Disposing of it releases the posting. */
export interface JobLease extends AsyncDisposable {
  /**
   * Stores the outcome of the request.
   * @throws Error when the lease has expired and another request holds the posting: the change is not stored
   */
  store(change: Partial<Pick<JobTable, 'state' | 'fields' | 'checkpoint'>>): Promise<void>;
}

/**
 * Leases the posting until the lease is disposed of, or for a minute.
 * @throws ServiceError `action_already_performed` while another request holds the lease
 */
export async function acquireLease(database: Database, jobId: string, now: () => Date): Promise<JobLease> {
  const acquiredAt = now().getTime();
  const until = acquiredAt + leaseMs;
  const { numUpdatedRows } = await database
    .updateTable('jobs')
    .set({ claimed_until: until })
    .where('id', '=', jobId)
    .where('claimed_until', '<=', acquiredAt)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) {
    throw new ServiceError('action_already_performed', { detail: 'Another request is acting on this job right now.' });
  }
  // The end of the lease also identifies it: once it has expired and another request holds the posting, nothing matches.
  const held = () => database.updateTable('jobs').where('id', '=', jobId).where('claimed_until', '=', until);
  return {
    async store(change) {
      const { numUpdatedRows: stored } = await held()
        .set({ ...change, updated_at: now().getTime() })
        .executeTakeFirst();
      if (stored === 0n) throw new Error(`The lease on job ${jobId} expired before its outcome was stored`);
    },
    async [Symbol.asyncDispose]() {
      await held().set({ claimed_until: 0 }).execute();
    },
  };
}
