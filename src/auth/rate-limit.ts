/**
 * Rate limits: token buckets shared through the database.
 *
 * Each process counts in memory, and settles a bucket after a tenth of it, with the first request after a second, and
 * before a refusal. So few requests wait for a statement, and each replica grants at most a tenth of a bucket beyond
 * the limit; a bucket of fewer than ten settles with every request. Redis would be a second server to run, secure and
 * wait for, to save these statements. A gateway without a database counts for itself.
 *
 * A bucket is one number (GCRA, the generic cell rate algorithm): the time at which it is full again.
 */
import { LRUCache } from 'lru-cache';
import { ServiceError } from '../kernel/errors.ts';
import { type Bucket, createSettlement, maxAhead, type RateLimitsContext, usedAt } from './rate-limit-settlement.ts';

export interface Policy {
  /** In the database and in the `RateLimit` fields. */
  readonly name: string;
  /** 0 for no limit. */
  readonly quota: number;
  /** From empty to full. */
  readonly seconds: number;
  /** As in "requests with this API key". */
  readonly what: string;
  /** Read only after the first grant: each new subject, whoever comes, would cost a statement. */
  readonly lazy?: boolean;
}

/** The fields of draft-ietf-httpapi-ratelimit-headers-10 for one policy. */
type RateLimitFields = Readonly<Record<'ratelimit' | 'ratelimit-policy', string>>;

export interface RateLimit {
  /**
   * `cost` 0 requires that something is left. @returns null without a limit
   * Rejects with ServiceError `service_unavailable` with `Retry-After` when too little is left, and with
   * `content_too_large` for more than a bucket, which no repetition gets
   */
  take(subject: string, cost?: number): RateLimitFields | null | Promise<RateLimitFields>;
  /** Takes after the use, into a debt of one more bucket at most. */
  charge(subject: string, cost: number): void;
}

/** Forgotten ones are settled, and read again with their subject's return. */
const keptBuckets = 50_000;

const unsettledPart = 0.1;

const settleAfter = 1_000_000;

export function createRateLimits(context: RateLimitsContext) {
  const { settle, close } = createSettlement(context);
  const settleLater = (bucket: Bucket): void => {
    settle(bucket).catch((err: unknown) => context.logger.warn({ err }, 'could not settle rate limits'));
  };
  const buckets = new LRUCache<string, Bucket>({
    // Not `max`, which takes the memory of all of them at once.
    maxSize: keptBuckets,
    sizeCalculation: () => 1,
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

  const limit = (policy: Policy): RateLimit => {
    const window = policy.seconds * 1_000_000;
    const ofOne = window / policy.quota;
    const allowance = Math.floor(policy.quota * unsettledPart) * ofOne;
    const policyField = `"${policy.name}";q=${policy.quota};w=${policy.seconds}`;
    const fieldsOf = (used: number): RateLimitFields => {
      const left = Math.max(0, Math.floor((window - used) / ofOne));
      return {
        ratelimit: `"${policy.name}";r=${left};t=${Math.ceil(used / 1_000_000)}`,
        'ratelimit-policy': policyField,
      };
    };
    const grant = (bucket: Bucket, amount: number, at: number) => {
      bucket.fullAt = at + Math.min(usedAt(bucket, at) + amount, maxAhead);
      bucket.unsettled += amount;
    };
    // Also where the clock jumped back.
    const isStale = ({ settledAt }: Bucket, at: number) => Math.abs(at - (settledAt ?? 0)) >= settleAfter;
    const refresh = (bucket: Bucket, at: number) => {
      // Before the wait, so that no other request asks for the same.
      bucket.settledAt = at;
      settleLater(bucket);
    };

    const refuse = (bucket: Bucket, excess: number, at: number): Promise<never> => {
      if (bucket.unsettled !== 0) settleLater(bucket);
      return Promise.reject(exceeded(policy, excess, fieldsOf(usedAt(bucket, at))));
    };
    /** The store adds all grants in their order: each request looks again. */
    const granted = (bucket: Bucket, amount: number, spare: number): RateLimitFields | Promise<never> => {
      const at = time();
      const used = usedAt(bucket, at);
      const excess = used + spare - window;
      if (excess <= 0) return fieldsOf(used);
      grant(bucket, -amount, at);
      return refuse(bucket, excess, at);
    };

    return {
      take(subject, cost = 1) {
        if (policy.quota === 0) return null;
        if (cost > policy.quota) return Promise.reject(beyondBucket(policy, cost));
        const bucket = bucketOf(subject, policy);
        const amount = Math.round(cost * ofOne);
        /** The rest that must stay: a request that takes nothing requires one. */
        const spare = Math.max(0, ofOne - amount);
        const at = time();
        const excess = usedAt(bucket, at) + amount + spare - window;
        if (excess > 0) return refuse(bucket, excess, at);
        grant(bucket, amount, at);
        if (bucket.settledAt === null || bucket.unsettled > allowance)
          return settle(bucket).then(() => granted(bucket, amount, spare));
        if (isStale(bucket, at)) refresh(bucket, at);
        return granted(bucket, amount, spare);
      },
      charge(subject, cost) {
        if (policy.quota === 0 || cost === 0) return;
        const bucket = bucketOf(subject, policy);
        grant(bucket, Math.round(Math.min(cost, policy.quota) * ofOne), time());
        if (bucket.unsettled > allowance) settleLater(bucket);
      },
    };
  };
  return {
    limit,
    /** Ends settling. Called after all who take, and before the store closes. */
    close,
  };
}

const beyondBucket = ({ quota, seconds, what }: Policy, cost: number): ServiceError =>
  new ServiceError('content_too_large', {
    detail: `The request takes ${cost} ${what}, and there can be ${quota} in ${seconds} seconds.`,
  });

/**
 * The contract has no 429. 503 `errors/service_unavailable` stands at every endpoint and has `Retry-After` in HTTP (RFC
 * 9110, section 10.2.3), so clients repeat; a 403 tells them to give up.
 */
function exceeded({ quota, seconds, what }: Policy, excess: number, fields: RateLimitFields): ServiceError {
  const wait = Math.max(1, Math.ceil(excess / 1_000_000));
  return new ServiceError('service_unavailable', {
    detail: `There can be ${quota} ${what} in ${seconds} seconds. Try again in ${wait} ${wait === 1 ? 'second' : 'seconds'}.`,
    headers: { ...fields, 'retry-after': String(wait) },
  });
}
