/** What a response means for a delivery and for its destination. Pure functions. */
import { parseRetryAfter, temporaryStatuses } from '../kernel/lib/http-semantics.ts';
import type { FailureReason, OutboundResponse } from '../net/outbound.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** The retry schedule: milliseconds to wait after each failed attempt. After the last one the delivery has failed. */
export const retryDelays: readonly number[] = [
  5 * second,
  minute,
  5 * minute,
  30 * minute,
  2 * hour,
  6 * hour,
  12 * hour,
  24 * hour,
  28 * hour,
];

export const maxAttempts = retryDelays.length + 1;

/** A delay is up to this fraction shorter or longer, so that deliveries that failed together are not retried together. */
const jitter = 0.2;

/** The longest waits that a destination can ask for with Retry-After: for the delivery, and for everything sent to it. */
const maxRetryAfter = 12 * hour;
const maxPause = 5 * minute;

/** A webhook whose destination has failed for this long without a success is disabled. */
export const failingLimit = 5 * day;

const goneStatus = 410;

/** Failures that say that nobody is there: to what else waits for the destination they say as much as a 503. */
const absent: ReadonlySet<FailureReason> = new Set([
  'name_not_found',
  'connection_failed',
  'connection_lost',
  'tls_failed',
]);

export interface RetryDecision {
  readonly outcome: 'succeeded' | 'retry' | 'failed';
  /** The destination says that it no longer exists. */
  readonly gone: boolean;
  /** The destination is overloaded or out of reach: fewer requests at once. */
  readonly overloaded: boolean;
  /** Milliseconds until the next attempt; 0 unless the outcome is `retry`. */
  readonly delayMs: number;
  /** Milliseconds for which nothing is sent to the destination. */
  readonly pauseMs: number;
}

/**
 * Decides what follows from the end of an attempt.
 * @param attempt the place of the attempt in the retry schedule, from 1
 * @param now epoch milliseconds
 * @param random returns a number from 0 to 1
 */
export function classify(
  { status, failure, retryAfter }: Pick<OutboundResponse, 'status' | 'failure' | 'retryAfter'>,
  { attempt, now, random }: { readonly attempt: number; readonly now: number; readonly random: () => number },
): RetryDecision {
  if (failure === null && status !== null && status >= 200 && status < 300) {
    return { outcome: 'succeeded', gone: false, overloaded: false, delayMs: 0, pauseMs: 0 };
  }
  const gone = failure === null && status === goneStatus;
  const asked = parseRetryAfter(retryAfter, now);
  const asksForLess = status !== null && temporaryStatuses.has(status);
  const isAbsent = failure !== null && absent.has(failure);
  const decision = {
    gone,
    overloaded: asksForLess || failure !== null,
    pauseMs: asksForLess || isAbsent ? Math.min(asked ?? second, maxPause) : 0,
  };
  const scheduled = retryDelays[attempt - 1];
  if (gone || scheduled === undefined) return { ...decision, outcome: 'failed', delayMs: 0 };
  const jittered = scheduled * (1 - jitter + 2 * jitter * random());
  const delayMs = Math.round(Math.max(jittered, Math.min(asked ?? 0, maxRetryAfter)));
  return { ...decision, outcome: 'retry', delayMs };
}

/** Decides about an attempt that could not be made because of a fault of the gateway's own: no judgement of the destination. */
export const unsentDecision = (attempt: number): RetryDecision => ({
  outcome: attempt < maxAttempts ? 'retry' : 'failed',
  gone: false,
  overloaded: false,
  delayMs: minute,
  pauseMs: 0,
});
