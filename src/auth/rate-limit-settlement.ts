/** How the processes of a deployment tell each other, through a store that they share, what they have granted. */
import type { Logger } from 'pino';
import { within } from '../kernel/lib/deadline.ts';

/** What a subject has used of a limit, as one process knows it. */
export interface Bucket {
  readonly id: string;
  /** Microseconds since the epoch, with what this process has granted. */
  fullAt: number;
  /** Microseconds of it that the store does not know; negative for what was given back. */
  unsettled: number;
  /** When the store was last asked; null if never. */
  settledAt: number | null;
}

/** Buckets as processes share them. */
export interface RateLimitStore {
  /**
   * Adds to the times until buckets are full again, by the clock of the store.
   * @param grants microseconds to add, or to take off where they are negative, by the ids of the buckets
   * @param now microseconds of the process's clock, for a store that has none
   * @returns the microseconds until each bucket is full, never less than 0
   */
  add(grants: ReadonlyMap<string, number>, now: number): Promise<ReadonlyMap<string, number>>;
}

export interface RateLimitsContext {
  /** Null where processes have nothing in common. */
  readonly store: RateLimitStore | null;
  readonly now: () => Date;
  readonly logger: Logger;
}

/**
 * How far ahead, in microseconds, a bucket can be full again: a debt grows no further. One that is more than twice as far
 * ahead was written before the clock jumped back, and counts as full. No `seconds` of a policy may be longer than half.
 */
export const maxAhead = 120_000_000;

/** How long a request waits for the store, in milliseconds. */
const waitMs = 1_000;

/** How long a store that has failed is left alone, in microseconds. */
const retryAfter = 1_000_000;

/** The time at a moment until the bucket is full, in microseconds. */
export function usedAt({ fullAt }: Bucket, time: number): number {
  const ahead = fullAt - time;
  return ahead > 2 * maxAhead ? 0 : Math.max(0, ahead);
}

/**
 * Tells the store what was granted of a bucket, and the bucket what other processes have granted. It resolves when that
 * is done, or cannot be done now: then each process counts what it grants itself, and tells the store later.
 */
export type Settle = (bucket: Bucket) => Promise<void>;

/** @returns settles in one statement at a time, for all buckets that wait for it */
export function createSettlement({ store, now, logger }: RateLimitsContext): Settle {
  const time = () => now().getTime() * 1_000;
  const due = new Set<Bucket>();
  /** The statement under way. */
  let current = Promise.resolve();
  /** The one that follows it, with everything that is due when it begins. */
  let next: Promise<void> | null = null;
  let isLate = false;
  let failedAt: number | null = null;

  if (store === null) {
    return async (bucket) => {
      bucket.unsettled = 0;
      bucket.settledAt = time();
    };
  }

  async function settleDue(shared: RateLimitStore): Promise<void> {
    const at = time();
    const sent = new Map<Bucket, number>();
    // Two buckets have one id when one was forgotten and its subject came back.
    const grants = new Map<string, number>();
    for (const bucket of due) {
      // What has run off since it was granted is no debt any more, however long the store was away.
      bucket.unsettled = Math.min(bucket.unsettled, usedAt(bucket, at));
      sent.set(bucket, bucket.unsettled);
      grants.set(bucket.id, (grants.get(bucket.id) ?? 0) + bucket.unsettled);
    }
    due.clear();
    try {
      const stored = await shared.add(grants, at);
      for (const [bucket, amount] of sent) {
        bucket.unsettled -= amount;
        bucket.fullAt = at + (stored.get(bucket.id) ?? 0) + bucket.unsettled;
        bucket.settledAt = at;
      }
      failedAt = null;
    } catch (error) {
      failedAt = at;
      logger.warn({ err: error }, 'could not settle rate limits');
    }
    isLate = false;
  }

  // A statement that hangs is not joined by others. Also where the clock jumped back.
  const isAway = () => isLate || (failedAt !== null && Math.abs(time() - failedAt) < retryAfter);

  return async (bucket) => {
    if (isAway()) return;
    due.add(bucket);
    next ??= current.then(() => {
      next = null;
      current = settleDue(store);
      return current;
    });
    await within(waitMs, next, 'The store of rate limits took too long').catch((error: unknown) => {
      if (!isLate) logger.warn({ err: error }, 'could not settle rate limits in time');
      isLate = true;
    });
  };
}
