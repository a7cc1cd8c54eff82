/**
 * Leases: across all processes, one request at a time acts on a row while it talks to the network. In a process the
 * others queue; between processes the first to ask gets a free row. Rejected: a lock held in a transaction, as the
 * network may take seconds. A lease is short and renewed, so a dead process keeps no row.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import type { Logger } from 'pino';
import { ServiceError } from '../kernel/errors.ts';
import { newId, type RandomBytes } from '../kernel/ids.ts';
import { underDeadline } from '../kernel/lib/abort-signal.ts';
import { createKeyedLock, QueueFull } from '../kernel/lib/keyed-lock.ts';
import type { Database } from './database.ts';
import { DatabaseFault } from './faults.ts';
import { isColumnAhead, statementTime } from './statement-time.ts';

export interface LeaseDependencies {
  readonly database: Database;
  readonly now: () => Date;
  readonly randomBytes: RandomBytes;
  readonly logger: Logger;
}

export interface LeaseOptions {
  /** Life of a lease after its last renewal, in milliseconds. */
  readonly leaseMs: number;
  /** Wait of a request for its turn, in milliseconds. */
  readonly waitMs: number;
  /** Per row and process. */
  readonly maxWaiting: number;
  readonly onWait?: (id: string) => void;
  /** The error of a request whose turn does not come in time. */
  readonly busy: () => ServiceError;
}

/** The columns that take a row. */
export interface LeaseColumns {
  readonly claimed_by: string;
  readonly claimed_until: RawBuilder<number>;
}

/** Disposal ends the renewals and admits the next in line. The holder releases the row before. */
export interface RowLease extends Disposable {
  /** In `claimed_by` until the row is released, or taken by another after the lease ended. */
  readonly holder: string;
}

/** What a request notes once it has to wait for others. */
interface Turn {
  isAwaited: boolean;
  wait(): void;
}

/** A lease survives one or two failed renewals. */
const renewalsPerLease = 4;

/** First pause between two looks at a row of another process, doubled up to the longest, in milliseconds. */
const firstPollMs = 20;
const maxPollMs = 320;

/** @param table with the columns `id`, `claimed_until` and `claimed_by` */
export function createLeases(
  table: 'jobs' | 'idempotent_responses',
  { database, now, randomBytes, logger }: LeaseDependencies,
  { leaseMs, waitMs, maxWaiting, onWait = () => {}, busy }: LeaseOptions,
) {
  const lock = createKeyedLock(maxWaiting);
  const time = () => statementTime(now().getTime(), 1_000);
  const end = () => sql<number>`${time()} + ${sql.lit(leaseMs)}`;

  function renewing(id: string, holder: string): NodeJS.Timeout {
    let isRenewing = false;
    const renew = () => {
      // Of two at a time, the older could win.
      if (isRenewing) return;
      isRenewing = true;
      sql`update ${sql.table(table)} set claimed_until = ${end()} where id = ${id} and claimed_by = ${holder}`
        .execute(database)
        // The next renewal makes up for one. If all fail, storing the outcome reports it.
        .catch((err: unknown) => logger.warn({ err, table, id }, 'a lease could not be renewed'))
        .finally(() => {
          isRenewing = false;
        });
    };
    return setInterval(renew, leaseMs / renewalsPerLease).unref();
  }

  /**
   * Polls until the attempt gives anything but `busy`; once more after a fault that may have lost the answer. Who waits for
   * others goes on while the database is busy: a moment of it does not take the turn.
   */
  async function poll<Found>(
    attempt: () => Promise<'taken' | 'busy' | Found>,
    signal: AbortSignal,
    turn: Turn,
  ): Promise<'taken' | Found> {
    let hasFailed = false;
    for (let pause = firstPollMs; ; pause = Math.min(2 * pause, maxPollMs)) {
      signal.throwIfAborted();
      try {
        const outcome = await attempt();
        if (outcome !== 'busy') return outcome;
        turn.wait();
      } catch (error) {
        const reason = error instanceof DatabaseFault ? error.reason : null;
        if (reason === 'unavailable' && !hasFailed) hasFailed = true;
        else if (reason !== 'busy' || !turn.isAwaited) throw error;
      }
      await sleep(pause, undefined, { signal });
    }
  }

  return {
    /** Whether the lease of a row lasts, by the clock that processes share. */
    lasts: () => isColumnAhead(`${table}.claimed_until`, time()),
    /**
     * Waits until the row is free, or until `attempt` finds that no lease is needed.
     * @param attempt takes the row if it is free or already ours: the answer to an earlier try may be lost
     * @param holderMark begins the holder's name
     * @throws ServiceError `busy` or `request_timeout` (`signal` aborts); as `attempt` does
     */
    async acquire<Found extends object>(
      id: string,
      signal: AbortSignal,
      attempt: (columns: LeaseColumns) => Promise<'taken' | 'busy' | Found>,
      holderMark = '',
    ): Promise<RowLease | Found> {
      const holder = holderMark + newId(randomBytes);
      const turn: Turn = {
        isAwaited: false,
        wait() {
          if (!turn.isAwaited) onWait(id);
          turn.isAwaited = true;
        },
      };
      return underDeadline(
        waitMs,
        signal,
        'The turn of the request did not come in time',
        async ({ signal: limit }) => {
          let unlock = () => {};
          try {
            unlock = await lock.acquire(id, { signal: limit, onWait: turn.wait });
            const outcome = await poll(() => attempt({ claimed_by: holder, claimed_until: end() }), limit, turn);
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
            throw limit.aborted || error instanceof QueueFull ? busy() : error;
          }
        },
      );
    },
  };
}

/** A disconnected caller gets the error of a deadline: nobody reads it, and it is no fault of ours. */
const abandoned = ({ reason }: AbortSignal) =>
  new ServiceError('request_timeout', {
    detail: 'The request ended while it waited for another one. It was not carried out.',
    cause: reason,
    outcomeUnknown: false,
  });
