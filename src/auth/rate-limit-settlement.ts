/** How the processes of a deployment share their grants. */
import type { Logger } from 'pino';
import { within } from '../kernel/lib/abort-signal.ts';
import { createTroubles, type Troubles } from '../kernel/troubles.ts';

export interface Bucket {
  readonly id: string;
  /** Epoch microseconds, with this process's grants. */
  fullAt: number;
  /** Microseconds unknown to the store; negative for returns. */
  unsettled: number;
  settledAt: number | null;
}

export interface RateLimitStore {
  /**
   * Adds to the times until buckets are full, by the store's clock: microseconds, negative to take off.
   * @param now of the process, for a store without a clock. @returns the time until each is full, at least 0
   */
  add(grants: ReadonlyMap<string, number>, now: number): Promise<ReadonlyMap<string, number>>;
}

export interface RateLimitsContext {
  readonly store: RateLimitStore;
  readonly now: () => Date;
  readonly logger: Logger;
  readonly troubles?: Troubles;
}

/**
 * The farthest time ahead, in microseconds, at which a bucket is full: the limit of debts. More than twice as much was
 * written before the clock jumped back, and counts as full. At least twice any policy's `seconds`.
 */
export const maxAhead = 120_000_000;

/** Microseconds until the bucket is full. */
export function usedAt({ fullAt }: Pick<Bucket, 'fullAt'>, time: number): number {
  const ahead = fullAt - time;
  return ahead > 2 * maxAhead ? 0 : Math.max(0, ahead);
}

/** A request's wait for the store, in milliseconds. */
const waitMs = 1_000;

/** Buckets of one statement; beyond, each process counts for itself. A flood of addresses has others forgotten. */
const maxDue = 10_000;

/** The rest of a store that has failed, in microseconds. */
const retryAfter = 1_000_000;

export function createSettlement({ store, now, logger, troubles = createTroubles(logger) }: RateLimitsContext) {
  const trouble = troubles.of('could not settle rate limits', { level: 'warn', onDemand: true });
  const time = () => now().getTime() * 1_000;
  const due = new Set<Bucket>();
  let current = Promise.resolve();
  /** The statement after it, with all that is due at its start. */
  let next: Promise<void> | null = null;
  let isLate = false;
  let isClosed = false;
  /** Whether the store may be closed. */
  let isOver = false;
  let failedAt: number | null = null;

  async function settleDue(): Promise<void> {
    const at = time();
    const sent = new Map<Bucket, number>();
    // A bucket that was forgotten, and the one of its subject's return, share an id.
    const grants = new Map<string, number>();
    for (const bucket of due) {
      // Time has paid off older grants, however long the store was away.
      bucket.unsettled = Math.min(bucket.unsettled, usedAt(bucket, at));
      sent.set(bucket, bucket.unsettled);
      grants.set(bucket.id, (grants.get(bucket.id) ?? 0) + bucket.unsettled);
    }
    due.clear();
    try {
      const stored = await store.add(grants, at);
      for (const [bucket, amount] of sent) {
        bucket.unsettled -= amount;
        bucket.fullAt = at + (stored.get(bucket.id) ?? 0) + bucket.unsettled;
        bucket.settledAt = at;
      }
      failedAt = null;
      trouble.worked();
    } catch (error) {
      failedAt = at;
      // What `close` gave up fails with the store, and was told.
      if (!isOver) trouble.failed(error);
    }
    isLate = false;
  }

  // Nothing joins a statement that hangs. Also where the clock jumped back.
  const isAway = () => isLate || (failedAt !== null && Math.abs(time() - failedAt) < retryAfter);

  const inTime = (statement: Promise<void>) =>
    within(waitMs, statement, 'The store of rate limits took too long').catch(() => {
      if (!isLate) logger.warn('could not settle rate limits in time');
      isLate = true;
    });

  return {
    /**
     * Exchanges grants with the store: all waiting buckets in one statement at a time. Resolves also where that fails:
     * each process then counts for itself.
     */
    async settle(bucket: Bucket) {
      if (isClosed || isAway() || due.size >= maxDue) return;
      due.add(bucket);
      next ??= current.then(() => {
        next = null;
        if (isOver) return current;
        current = settleDue();
        return current;
      });
      await inTime(next);
    },
    /** Begins nothing more. Resolves with the last statement, or when that takes too long: the store can be closed. */
    async close() {
      isClosed = true;
      await inTime(next ?? current);
      isOver = true;
    },
  };
}
