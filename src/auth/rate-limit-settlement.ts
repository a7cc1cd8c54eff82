/** How the processes of a deployment share their grants. */
import { within } from '../kernel/lib/abort-signal.ts';
import { createTroubles } from '../kernel/troubles.ts';
import { type Bucket, type RateLimitStore, type RateLimitsContext, type Settle, usedAt } from './rate-limit.ts';

/** A request's wait for the store, in milliseconds. */
const waitMs = 1_000;

/** Buckets of one statement; beyond, each process counts for itself. A flood of addresses has others forgotten. */
const maxDue = 10_000;

/** The rest of a store that has failed, in microseconds. */
const retryAfter = 1_000_000;

interface Settlement {
  /** Settles all waiting buckets in one statement at a time. */
  readonly settle: Settle;
  /** Begins nothing more. Resolves with the last statement, or when that takes too long: the store can be closed. */
  close(): Promise<void>;
}

export function createSettlement({
  store,
  now,
  logger,
  troubles = createTroubles(logger),
}: RateLimitsContext): Settlement {
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

  if (store === null) {
    return {
      async settle(bucket) {
        bucket.unsettled = 0;
        bucket.settledAt = time();
      },
      close: async () => undefined,
    };
  }

  async function settleDue(shared: RateLimitStore): Promise<void> {
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
      const stored = await shared.add(grants, at);
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
    async settle(bucket) {
      if (isClosed || isAway() || due.size >= maxDue) return;
      due.add(bucket);
      next ??= current.then(() => {
        next = null;
        if (isOver) return current;
        current = settleDue(store);
        return current;
      });
      await inTime(next);
    },
    async close() {
      isClosed = true;
      await inTime(next ?? current);
      isOver = true;
    },
  };
}
