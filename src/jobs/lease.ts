/**
 * A claim lets one request act on a posting while it talks to the network, over all processes on the database: two
 * publishes of one draft at the same moment publish it once. It is a lease rather than a lock held in a transaction, as
 * the network may take seconds, and a process that dies must not keep the posting.
 */
import { ServiceError } from '../errors.ts';
import { providerDeadlineMs } from '../providers/with-deadlines.ts';
import type { Database } from '../store/database.ts';
import type { JobTable } from '../store/schema.ts';

/** Longer than any one call of a network may take. */
const leaseMs = 2 * providerDeadlineMs;

export interface Claim extends AsyncDisposable {
  /** Stores what came of it. */
  store(change: Partial<Pick<JobTable, 'state' | 'fields' | 'checkpoint'>>): Promise<void>;
}

/**
 * Claims the posting until the claim is disposed of.
 * @throws ServiceError `action_already_performed` while another request has it
 */
export async function claimJob(database: Database, jobId: string, now: () => Date): Promise<Claim> {
  const claimedAt = now().getTime();
  const until = claimedAt + leaseMs;
  const { numUpdatedRows } = await database
    .updateTable('jobs')
    .set({ claimed_until: until })
    .where('id', '=', jobId)
    .where('claimed_until', '<=', claimedAt)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) {
    throw new ServiceError('action_already_performed', {
      detail: 'Another request is acting on this job at this moment.',
    });
  }
  // A claim that outlived its lease may be another's by now: it changes nothing.
  const ours = () => database.updateTable('jobs').where('id', '=', jobId).where('claimed_until', '=', until);
  return {
    async store(change) {
      const { numUpdatedRows: stored } = await ours()
        .set({ ...change, updated_at: now().getTime() })
        .executeTakeFirst();
      if (stored === 0n) throw new Error(`The claim on job ${jobId} ran out before its outcome was stored`);
    },
    async [Symbol.asyncDispose]() {
      await ours().set({ claimed_until: 0 }).execute();
    },
  };
}
