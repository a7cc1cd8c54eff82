/**
 * A lease lets one request at a time act on a posting while it talks to the network, across all processes that share the
 * database. The others wait for their turn: within a process in the order in which they came, between processes whoever
 * asks first once the posting is free. A lock held in a transaction would not do: the network may take seconds, and a
 * process that dies must not keep the posting locked. So a lease is short, and its holder renews it for as long as it
 * needs it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { underDeadline } from '../deadline.ts';
import { ServiceError } from '../errors.ts';
import { newId, type RandomBytes } from '../ids.ts';
import type { Database } from '../store/database.ts';
import { DatabaseFault, unconfirmed } from '../store/faults.ts';
import { createKeyedLock, QueueFull } from '../store/keyed-lock.ts';
import type { JobTable } from '../store/schema.ts';

/** The timing of leases. Only tests set it. */
export interface LeaseTuning {
  /** How long a lease outlives its last renewal, in milliseconds. */
  readonly leaseMs?: number;
  /** How long a request waits for its turn, in milliseconds. */
  readonly waitMs?: number;
  /** Called once for each request that has to wait. */
  readonly onWait?: (jobId: string) => void;
}

/** Requests that may wait for one posting in one process. */
const maxWaiting = 50;

/**
 * Longer than a lease, so that a request that finds the lease of a dead process goes on when it ends; shorter than the
 * time that a gateway in front of this one waits for a response.
 */
const defaultWaitMs = 15_000;
/** Long enough for a process that is busy, or a clock that is a few seconds off, to keep what it holds. */
const defaultLeaseMs = 8_000;
/** A lease survives the failure of a renewal or two. */
const renewalsPerLease = 4;

/** How often to look whether another process is done: the first wait, doubled up to the longest, in milliseconds. */
const firstPollMs = 20;
const maxPollMs = 160;

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

export interface JobLeases {
  /**
   * Waits until no other request acts on the posting, and leases it until the lease is disposed of.
   * @param signal ends the wait early
   * @throws ServiceError `service_unavailable` when the turn of the request does not come in time, `request_timeout` when
   *   `signal` aborts
   */
  acquire(jobId: string, signal: AbortSignal): Promise<JobLease>;
}

export function jobLeases(
  {
    database,
    now,
    randomBytes,
    logger,
  }: {
    readonly database: Database;
    readonly now: () => Date;
    readonly randomBytes: RandomBytes;
    readonly logger: Logger;
  },
  { leaseMs = defaultLeaseMs, waitMs = defaultWaitMs, onWait = () => {} }: LeaseTuning = {},
): JobLeases {
  const lock = createKeyedLock(maxWaiting);

  /** Leases the posting in the database, as soon as no other process holds it. */
  async function claim(jobId: string, holder: string, signal: AbortSignal, onBusy: () => void): Promise<void> {
    for (let pause = firstPollMs; ; pause = Math.min(2 * pause, maxPollMs)) {
      signal.throwIfAborted();
      const time = now().getTime();
      const { numUpdatedRows } = await database
        .updateTable('jobs')
        .set({ claimed_until: time + leaseMs, claimed_by: holder })
        .where('id', '=', jobId)
        .where('claimed_until', '<=', time)
        .executeTakeFirst();
      if (numUpdatedRows === 1n) return;
      onBusy();
      await sleep(pause, undefined, { signal });
    }
  }

  /** Only the row that this holder leased: once the lease has expired and another request has it, nothing matches. */
  const held = (jobId: string, holder: string) =>
    database.updateTable('jobs').where('id', '=', jobId).where('claimed_by', '=', holder);

  function leaseOf(jobId: string, holder: string, unlock: () => void): JobLease {
    const renew = () => {
      const renewal = held(jobId, holder).set({ claimed_until: now().getTime() + leaseMs });
      // The next renewal makes up for one that fails. If none succeeds, storing the outcome says so.
      renewal.execute().catch((err: unknown) => logger.warn({ err, jobId }, 'the lease on a job could not be renewed'));
    };
    const timer = setInterval(renew, leaseMs / renewalsPerLease).unref();
    async function change(values: Partial<JobTable>): Promise<void> {
      const { numUpdatedRows } = await held(jobId, holder).set(values).executeTakeFirst();
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
        clearInterval(timer);
        try {
          await held(jobId, holder).set({ claimed_until: 0, claimed_by: null }).execute();
        } catch (err) {
          // Whatever the request came to is stored. The lease ends by itself, and until then the posting is locked.
          logger.warn({ err, jobId }, 'the lease on a job could not be released');
        } finally {
          unlock();
        }
      },
    };
  }

  return {
    async acquire(jobId, signal) {
      const holder = newId(randomBytes);
      let waiting = false;
      const wait = () => {
        if (!waiting) onWait(jobId);
        waiting = true;
      };
      return underDeadline(waitMs, signal, 'The turn of the request did not come in time', async (ends) => {
        try {
          const unlock = await lock.acquire(jobId, ends, wait);
          try {
            await claim(jobId, holder, ends, wait);
          } catch (error) {
            unlock();
            throw error;
          }
          return leaseOf(jobId, holder, unlock);
        } catch (error) {
          if (signal.aborted) throw abandoned(signal);
          throw ends.aborted || error instanceof QueueFull ? busy() : error;
        }
      });
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

/** A caller that disconnected gets the error of a deadline: nobody reads it, and it must not look like a fault of ours. */
const abandoned = ({ reason }: AbortSignal) =>
  new ServiceError('request_timeout', {
    detail: 'The request ended while it waited for another one that acts on this job. It was not carried out.',
    cause: reason,
    outcomeUnknown: false,
  });
