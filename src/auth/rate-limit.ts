/**
 * Rate limits: token buckets that the processes of a deployment share through the database.
 *
 * Each process decides alone, in memory, and tells the database what it has granted: when that is a tenth of a bucket, and
 * otherwise once a second, in one statement for all buckets that changed. So a request costs no statement, and replicas
 * together grant at most a tenth of a bucket (and one request) each beyond the limit. A bucket of fewer than ten is settled
 * with every request. Redis would be a second server to run, to secure and to wait for, to save a statement a second:
 * replicas have a database in common as it is. A gateway without one counts for itself.
 *
 * A bucket is one number (GCRA, the generic cell rate algorithm): the time at which it is full again. Taking moves it on.
 */
import type { Logger } from 'pino';
import { BoundedMap } from '../bounded-map.ts';
import { ServiceError } from '../errors.ts';

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

/** Buckets as processes share them. */
export interface RateLimitStore {
  /**
   * Adds to the times at which buckets are full again, which are never before `now`.
   * @param grants microseconds to add, by the ids of the buckets
   * @returns the times that this results in, in microseconds
   */
  add(grants: ReadonlyMap<string, number>, now: number): Promise<ReadonlyMap<string, number>>;
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

export interface RateLimitsContext {
  /** Null where processes have nothing in common. */
  readonly store: RateLimitStore | null;
  readonly now: () => Date;
  readonly logger: Logger;
}

interface Bucket {
  readonly id: string;
  /** Microseconds since the epoch, with what this process has granted. */
  fullAt: number;
  /** Microseconds of it that the store does not know. */
  unsettled: number;
  /** When the store was last asked; null if never. */
  settledAt: number | null;
}

/** Buckets that a process remembers. One that it forgets is read from the store again. */
const keptBuckets = 50_000;

/** The part of a bucket that a process grants before it settles with the store. */
const unsettledPart = 0.1;

/**
 * How far ahead, in microseconds, a bucket can be full again: a debt grows no further. One that is more than twice as far
 * ahead was written before the clock jumped back, and is taken for full. No `seconds` of a policy may be longer than half.
 */
export const maxAhead = 120_000_000;

/** How old, in microseconds, a bucket gets before it is settled all the same. */
const settleAfter = 1_000_000;

/** @returns makes the limit of a policy; all limits settle together */
export function createRateLimits({ store, now, logger }: RateLimitsContext): (policy: Policy) => RateLimit {
  const buckets = new BoundedMap<string, Bucket>(keptBuckets);
  const changed = new Set<Bucket>();
  let settling: Promise<void> | null = null;
  let settlingNext: Promise<void> | null = null;
  const time = () => now().getTime() * 1_000;

  async function settleChanged(): Promise<void> {
    const batch = [...changed].map((bucket) => ({ bucket, grant: bucket.unsettled }));
    changed.clear();
    const at = time();
    try {
      const stored = await store?.add(new Map(batch.map(({ bucket, grant }) => [bucket.id, grant])), at);
      for (const { bucket, grant } of batch) {
        bucket.unsettled -= grant;
        bucket.fullAt = (stored?.get(bucket.id) ?? bucket.fullAt - bucket.unsettled) + bucket.unsettled;
      }
    } catch (error) {
      // Without the store each process still counts what it grants itself, and tells the store later.
      logger.warn({ err: error }, 'could not settle rate limits');
    }
    for (const { bucket } of batch) bucket.settledAt = at;
  }

  /** Resolves when what is unsettled now has been settled. */
  function settle(bucket: Bucket): Promise<void> {
    changed.add(bucket);
    if (settling === null) {
      settling = settleChanged().finally(() => {
        settling = null;
      });
      return settling;
    }
    // The one under way has left without this bucket.
    settlingNext ??= settling.then(() => {
      settlingNext = null;
      const [first] = changed;
      return first === undefined ? undefined : settle(first);
    });
    return settlingNext;
  }

  function bucketOf(subject: string, { name, lazy = false }: Policy): Bucket {
    const id = `${name}:${subject}`;
    const known = buckets.get(id);
    if (known !== undefined) return known;
    const bucket: Bucket = { id, fullAt: 0, unsettled: 0, settledAt: store === null || lazy ? time() : null };
    buckets.set(id, bucket);
    return bucket;
  }

  return (policy) => {
    const window = policy.seconds * 1_000_000;
    const ofOne = window / policy.quota;
    const allowance = Math.floor(policy.quota * unsettledPart) * ofOne;
    /** The time for which the bucket is not full yet, in microseconds. */
    const usedOf = ({ fullAt }: Bucket): number => {
      const ahead = fullAt - time();
      return ahead > 2 * maxAhead ? 0 : Math.max(0, ahead);
    };
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

    return {
      async take(subject, cost = 1) {
        if (policy.quota === 0) return null;
        const bucket = bucketOf(subject, policy);
        const amount = Math.round(cost * ofOne);
        if (store !== null) {
          if (bucket.settledAt === null || bucket.unsettled + amount > allowance) await settle(bucket);
          else if (isStale(bucket)) void settle(bucket);
        }
        const needed = Math.max(amount, ofOne);
        const excess = usedOf(bucket) + needed - window;
        if (excess > 0) throw exceeded(policy, excess, fieldsOf(bucket));
        grant(bucket, amount);
        if (store !== null && bucket.unsettled > allowance) await settle(bucket);
        return fieldsOf(bucket);
      },
      charge(subject, cost) {
        if (policy.quota === 0 || cost === 0) return;
        const bucket = bucketOf(subject, policy);
        grant(bucket, Math.round(Math.min(cost, policy.quota) * ofOne));
        if (store !== null && bucket.unsettled > allowance) void settle(bucket);
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
