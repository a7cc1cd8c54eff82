/** The lease on a posting: one request at a time acts on it, and stores what the network has carried out. */
import { ServiceError } from '../../kernel/errors.ts';
import { DatabaseFault, unconfirmed } from '../../store/faults.ts';
import { createLeases, type Lease, type LeaseDependencies, type LeaseOptions } from '../../store/lease.ts';
import type { JobTable } from '../../store/schema.ts';

/** The timing of leases. Only tests set it. */
export type LeaseTuning = Partial<Pick<LeaseOptions, 'leaseMs' | 'waitMs' | 'onWait'>>;

/** Requests that may wait for one posting in one process. */
const maxWaiting = 50;

/**
 * Longer than a lease, so that a request that finds the lease of a dead process goes on when it ends; shorter than the
 * time that a gateway in front of this one waits for a response.
 */
const defaultWaitMs = 15_000;
/** Long enough for a process that is busy to keep what it holds. */
const defaultLeaseMs = 8_000;

/** What a caller that was refused is told to wait, in seconds. */
const retryAfterSeconds = 5;

/** Disposing of it gives the posting to the next request. */
export interface JobLease extends AsyncDisposable {
  /**
   * Stores what the network has carried out.
   * @throws Error when the lease has expired and another request holds the posting: the change is not stored
   * @throws ServiceError of an unknown outcome when the database fails
   */
  store(change: Partial<Pick<JobTable, 'state' | 'fields' | 'checkpoint' | 'publication'>>): Promise<void>;
  /**
   * Stores what is known of the publication, which callers do not see.
   * @throws Error as `store` does
   */
  mark(publication: JobTable['publication']): Promise<void>;
  /**
   * Waits for a write about a request that has failed. If it fails too, that is logged and not thrown: the caller must
   * hear why the request failed.
   */
  note(write: Promise<void>): Promise<void>;
}

export type JobLeases = ReturnType<typeof jobLeases>;

export function jobLeases(dependencies: LeaseDependencies, tuning: LeaseTuning = {}) {
  const { database, now, logger } = dependencies;
  const timing = { leaseMs: defaultLeaseMs, waitMs: defaultWaitMs, ...tuning };
  const leases = createLeases('jobs', dependencies, { ...timing, maxWaiting, busy });

  function leaseOf(jobId: string, { holder, [Symbol.dispose]: end }: Lease): JobLease {
    /** Nothing, once the lease has expired and another request has it. */
    const held = database.updateTable('jobs').where('id', '=', jobId).where('claimed_by', '=', holder);
    async function change(values: Partial<JobTable>): Promise<void> {
      const { numUpdatedRows } = await held.set(values).executeTakeFirst();
      if (numUpdatedRows === 0n) throw new Error(`The lease on job ${jobId} expired before its outcome was stored`);
    }
    return {
      store: (outcome) =>
        change({ ...outcome, updated_at: now().getTime() }).catch((error: unknown) => {
          throw error instanceof DatabaseFault ? unconfirmed(error) : error;
        }),
      mark: (publication) => change({ publication }),
      note: (write) =>
        write.catch((err: unknown) =>
          logger.error({ err, jobId }, 'what a failed request leaves behind could not be stored'),
        ),
      async [Symbol.asyncDispose]() {
        try {
          await held.set({ claimed_until: 0, claimed_by: null }).execute();
        } catch (err) {
          // Whatever the request came to is stored. The lease ends by itself, and until then the posting is locked.
          logger.warn({ err, jobId }, 'the lease on a job could not be released');
        } finally {
          end();
        }
      },
    };
  }

  return {
    /**
     * Waits until no other request acts on the posting, and leases it until the lease is disposed of.
     * @throws ServiceError `service_unavailable` when the turn of the request does not come in time, `request_timeout` when
     *   `signal` aborts
     */
    async acquire(jobId: string, signal: AbortSignal): Promise<JobLease> {
      const lease = await leases.acquire<never>(jobId, signal, async (claim) => {
        const { numUpdatedRows } = await database
          .updateTable('jobs')
          .set(claim)
          .where('id', '=', jobId)
          .where(({ eb, or }) =>
            or([eb('claimed_until', '<=', leases.time()), eb('claimed_by', '=', claim.claimed_by)]),
          )
          .executeTakeFirst();
        return numUpdatedRows === 1n ? 'taken' : 'busy';
      });
      return leaseOf(jobId, lease);
    },
  };
}

/**
 * Runs work while the lease on a posting is held.
 * @throws ServiceError as `acquire`, or what the work throws
 */
export async function underLease<Value>(
  leases: JobLeases,
  jobId: string,
  signal: AbortSignal,
  work: (lease: JobLease) => Promise<Value>,
): Promise<Value> {
  const lease = await leases.acquire(jobId, signal);
  try {
    return await work(lease);
  } finally {
    await lease[Symbol.asyncDispose]();
  }
}

const busy = () =>
  new ServiceError('service_unavailable', {
    detail: `Other requests are acting on this job. This one was not carried out: try again in ${retryAfterSeconds} seconds.`,
    headers: { 'retry-after': String(retryAfterSeconds) },
  });
