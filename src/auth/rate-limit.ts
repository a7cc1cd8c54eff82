/**
 * Rate limits: token buckets that the processes of a deployment share through the database.
 *
 * Each process counts in memory, and settles a bucket with the database when it has granted a tenth of it since it last did,
 * with the first request after a second, and before it refuses. So few requests wait for a statement, and replicas together
 * grant at most a tenth of a bucket each beyond the limit. A bucket of fewer than ten is settled with every request, and
 * its limit is exact. Redis would be a second server to run, to secure and to wait for, to save these statements: replicas
 * have a database in common as it is. A gateway without one counts for itself.
 *
 * A bucket is one number (GCRA, the generic cell rate algorithm): the time at which it is full again. Taking moves it on.
 */
import { LRUCache } from 'lru-cache';
import { ServiceError } from '../kernel/errors.ts';
import { type Bucket, createSettlement, maxAhead, type RateLimitsContext, usedAt } from './rate-limit-settlement.ts';

/** How much of something a subject can have. */
export interface Policy {
  /** Names the limit in the database and in the `RateLimit` fields. */
  readonly name: string;
  /** What the bucket holds; 0 for no limit. */
  readonly quota: number;
  /** The time in which an empty bucket is full again. */
  readonly seconds: number;
  /** What is counted, and for whom: "requests with this API key". */
  readonly what: string;
  /**
   * A bucket is not read from the store before this process has granted something of it: subjects are whoever comes, and
   * each new one would cost a statement.
   */
  readonly lazy?: boolean;
}

/** The fields of draft-ietf-httpapi-ratelimit-headers-10 for one policy. */
export type RateLimitFields = Readonly<Record<'ratelimit' | 'ratelimit-policy', string>>;

export interface RateLimit {
  /**
   * Takes from the bucket of a subject. `cost` 0 takes nothing, and requires that something is left.
   * @returns how the bucket stands, as header fields; null without a limit
   * @throws ServiceError `service_unavailable` with `Retry-After` when too little is left
   */
  take(subject: string, cost?: number): Promise<RateLimitFields | null>;
  /** Takes what was used already, even if less is left: the bucket is then in debt, of one more bucket at the most. */
  charge(subject: string, cost: number): void;
}

/** Buckets that a process remembers. One that it forgets is settled, and read again when its subject comes back. */
const keptBuckets = 50_000;

/** The part of a bucket that a process grants before it settles. */
const unsettledPart = 0.1;

/** How old, in microseconds, a bucket gets before it is settled all the same. */
const settleAfter = 1_000_000;

/** @returns makes the limit of a policy; all limits settle together */
export function createRateLimits(context: RateLimitsContext): (policy: Policy) => RateLimit {
  const settle = createSettlement(context);
  const settleLater = (bucket: Bucket): void => {
    settle(bucket).catch((err: unknown) => context.logger.warn({ err }, 'could not settle rate limits'));
  };
  const buckets = new LRUCache<string, Bucket>({
    max: keptBuckets,
    dispose: (forgotten) => {
      if (forgotten.unsettled !== 0) settleLater(forgotten);
    },
  });
  const time = () => context.now().getTime() * 1_000;

  function bucketOf(subject: string, { name, lazy = false }: Policy): Bucket {
    const id = `${name}:${subject}`;
    const known = buckets.get(id);
    if (known !== undefined) return known;
    const bucket: Bucket = { id, fullAt: 0, unsettled: 0, settledAt: lazy ? time() : null };
    buckets.set(id, bucket);
    return bucket;
  }

  return (policy) => {
    const window = policy.seconds * 1_000_000;
    const ofOne = window / policy.quota;
    const allowance = Math.floor(policy.quota * unsettledPart) * ofOne;
    const usedOf = (bucket: Bucket): number => usedAt(bucket, time());
    const fieldsOf = (bucket: Bucket): RateLimitFields => {
      const used = usedOf(bucket);
      const left = Math.max(0, Math.floor((window - used) / ofOne));
      return {
        ratelimit: `"${policy.name}";r=${left};t=${Math.ceil(used / 1_000_000)}`,
        'ratelimit-policy': `"${policy.name}";q=${policy.quota};w=${policy.seconds}`,
      };
    };
    const grant = (bucket: Bucket, amount: number) => {
      bucket.fullAt = time() + Math.min(usedOf(bucket) + amount, maxAhead);
      bucket.unsettled += amount;
    };
    // Also where the clock jumped back.
    const isStale = ({ settledAt }: Bucket) => Math.abs(time() - (settledAt ?? 0)) >= settleAfter;
    const refresh = (bucket: Bucket) => {
      // At once, so that no other request asks for the same.
      bucket.settledAt = time();
      settleLater(bucket);
    };

    return {
      async take(subject, cost = 1) {
        if (policy.quota === 0) return null;
        const bucket = bucketOf(subject, policy);
        const amount = Math.round(cost * ofOne);
        /** What must be left beside the amount: a request that takes nothing requires one. */
        const spare = Math.max(0, ofOne - amount);
        let excess = usedOf(bucket) + amount + spare - window;
        if (excess <= 0) {
          grant(bucket, amount);
          if (bucket.settledAt === null || bucket.unsettled > allowance) await settle(bucket);
          else if (isStale(bucket)) refresh(bucket);
          // Each request looks again for itself: the store adds up what all processes grant, in the order in which they tell it.
          excess = usedOf(bucket) + spare - window;
          if (excess <= 0) return fieldsOf(bucket);
          grant(bucket, -amount);
        }
        if (bucket.unsettled !== 0) settleLater(bucket);
        throw exceeded(policy, excess, fieldsOf(bucket));
      },
      charge(subject, cost) {
        if (policy.quota === 0 || cost === 0) return;
        const bucket = bucketOf(subject, policy);
        grant(bucket, Math.round(Math.min(cost, policy.quota) * ofOne));
        if (bucket.unsettled > allowance) settleLater(bucket);
      },
    };
  };
}

/**
 * The contract has no 429, and lists for each endpoint what it may return. 503 `errors/service_unavailable` stands at every
 * endpoint, means "retry later" there, and has `Retry-After` in HTTP (RFC 9110, section 10.2.3), so clients that repeat
 * requests do the right thing; a 403 tells them to give up.
 */
function exceeded({ quota, seconds, what }: Policy, excess: number, fields: RateLimitFields): ServiceError {
  const wait = Math.max(1, Math.ceil(excess / 1_000_000));
  return new ServiceError('service_unavailable', {
    detail: `There can be ${quota} ${what} in ${seconds} seconds. Try again in ${wait} ${wait === 1 ? 'second' : 'seconds'}.`,
    headers: { ...fields, 'retry-after': String(wait) },
  });
}
