/**
 * Leases let one request at a time act on a row while it talks to the network, across all processes that share the database.
 * The others wait: within a process in the order in which they came, between processes whoever asks first once the row is
 * free. A lock held in a transaction would not do: the network may take seconds, and a process that dies must not keep the
 * row locked. So a lease is short, and its holder renews it for as long as it needs it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import type { Logger } from 'pino';
import { ServiceError } from '../kernel/errors.ts';
import { newId, type RandomBytes } from '../kernel/ids.ts';
import { underDeadline } from '../kernel/lib/deadline.ts';
import type { Database } from './database.ts';
import { DatabaseFault } from './faults.ts';
import type { DatabaseKind } from './json-rows.ts';
import { createKeyedLock, QueueFull } from './keyed-lock.ts';
import { statementTime } from './statement-time.ts';

export interface LeaseDependencies {
  readonly database: Database;
  readonly kind: DatabaseKind;
  readonly now: () => Date;
  readonly randomBytes: RandomBytes;
  readonly logger: Logger;
}

export interface LeaseOptions {
  /** How long a lease outlives its last renewal, in milliseconds. */
  readonly leaseMs: number;
  /** How long a request waits for its turn, in milliseconds. */
  readonly waitMs: number;
  /** Requests that may wait for one row in one process. */
  readonly maxWaiting: number;
  /** Called once for each request that has to wait. */
  readonly onWait?: (id: string) => void;
  /** The error of a request whose turn does not come. */
  readonly busy: () => ServiceError;
}

/** What a row is taken with, for a statement. */
export interface Claim {
  readonly claimed_by: string;
  readonly claimed_until: RawBuilder<number>;
}

/** Disposing of it ends the renewals and lets the next in line try. The row is its holder's to give back, before. */
export interface Lease extends Disposable {
  /** In `claimed_by` of the row until it is given back, or has expired and been taken by another. */
  readonly holder: string;
}

export interface Leases {
  /** The time by which leases end, for a statement: milliseconds since the epoch. */
  time(): RawBuilder<number>;
  /**
   * Waits until the row is free or a look at it makes the lease needless.
   * @param attempt looks at the row, and takes it if it is free or already has the holder of the claim, whose statement may
   *   have been carried out although its answer was lost
   * @param signal ends the wait early
   * @throws ServiceError `busy` when the turn does not come in time, `request_timeout` when `signal` aborts, or what the
   *   attempt throws
   */
  acquire<Found extends object>(
    id: string,
    signal: AbortSignal,
    attempt: (claim: Claim) => Promise<'taken' | 'busy' | Found>,
  ): Promise<Lease | Found>;
}

/** A lease survives the failure of a renewal or two. */
const renewalsPerLease = 4;

/** How often to look whether another process is done: the first wait, doubled up to the longest, in milliseconds. */
const firstPollMs = 20;
const maxPollMs = 320;

/** @param table has the columns `id`, `claimed_until` and `claimed_by` */
export function createLeases(
  table: 'jobs' | 'idempotent_responses',
  { database, kind, now, randomBytes, logger }: LeaseDependencies,
  { leaseMs, waitMs, maxWaiting, onWait = () => {}, busy }: LeaseOptions,
): Leases {
  const lock = createKeyedLock(maxWaiting);
  const time = () => statementTime(kind, now().getTime(), 1_000);
  const end = () => sql<number>`${time()} + ${sql.lit(leaseMs)}`;

  function renewing(id: string, holder: string): NodeJS.Timeout {
    let isRenewing = false;
    const renew = () => {
      // Of two at a time, the older one could win.
      if (isRenewing) return;
      isRenewing = true;
      sql`update ${sql.table(table)} set claimed_until = ${end()} where id = ${id} and claimed_by = ${holder}`
        .execute(database)
        // The next renewal makes up for one that fails. If none succeeds, storing the outcome says so.
        .catch((err: unknown) => logger.warn({ err, table, id }, 'a lease could not be renewed'))
        .finally(() => {
          isRenewing = false;
        });
    };
    return setInterval(renew, leaseMs / renewalsPerLease).unref();
  }

  /** Tries until the attempt gives something else than `busy`, and once more after a fault in which an answer may be lost. */
  async function poll<Found>(
    attempt: () => Promise<'taken' | 'busy' | Found>,
    signal: AbortSignal,
    wait: () => void,
  ): Promise<'taken' | Found> {
    let hasFailed = false;
    for (let pause = firstPollMs; ; pause = Math.min(2 * pause, maxPollMs)) {
      signal.throwIfAborted();
      try {
        const outcome = await attempt();
        if (outcome !== 'busy') return outcome;
        wait();
      } catch (error) {
        if (hasFailed || !(error instanceof DatabaseFault) || error.reason !== 'unavailable') throw error;
        hasFailed = true;
      }
      await sleep(pause, undefined, { signal });
    }
  }

  return {
    time,
    async acquire(id, signal, attempt) {
      const holder = newId(randomBytes);
      let isWaiting = false;
      const wait = () => {
        if (!isWaiting) onWait(id);
        isWaiting = true;
      };
      return underDeadline(waitMs, signal, 'The turn of the request did not come in time', async (ends) => {
        let unlock = () => {};
        try {
          unlock = await lock.acquire(id, ends, wait);
          const outcome = await poll(() => attempt({ claimed_by: holder, claimed_until: end() }), ends, wait);
          if (outcome !== 'taken') {
            unlock();
            return outcome;
          }
          const timer = renewing(id, holder);
          return {
            holder,
            [Symbol.dispose]() {
              clearInterval(timer);
              unlock();
            },
          };
        } catch (error) {
          unlock();
          if (error instanceof ServiceError) throw error;
          if (signal.aborted) throw abandoned(signal);
          throw ends.aborted || error instanceof QueueFull ? busy() : error;
        }
      });
    },
  };
}

/** A caller that disconnected gets the error of a deadline: nobody reads it, and it must not look like a fault of ours. */
const abandoned = ({ reason }: AbortSignal) =>
  new ServiceError('request_timeout', {
    detail: 'The request ended while it waited for another one. It was not carried out.',
    cause: reason,
    outcomeUnknown: false,
  });
