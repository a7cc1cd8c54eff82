/** A response's meaning for its delivery and destination. Pure functions. */
import { parseRetryAfter, temporaryStatuses } from '../kernel/lib/http-semantics.ts';
import { day, hour, minute, second } from '../kernel/lib/time-units.ts';
import type { FailureReason, OutboundResponse } from '../net/outbound.ts';

/** Milliseconds after each failed attempt. After the last, the delivery has failed. */
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

/** A fraction, so that deliveries that failed together are not retried together. */
const jitter = 0.2;

/** Longest honoured Retry-After, for the delivery and for its destination. */
export const maxRetryAfter = 12 * hour;
export const maxPause = 5 * minute;

/** Failing without a success until the webhook is disabled. */
export const failingLimit = 5 * day;

const goneStatus = 410;

/** Nobody is there: to the destination's other deliveries it says as much as a 503. */
const absent: ReadonlySet<FailureReason> = new Set([
  'name_not_found',
  'connection_failed',
  'connection_lost',
  'tls_failed',
]);

type AttemptEnd =
  | { readonly outcome: 'succeeded' | 'failed' }
  | { readonly outcome: 'retry'; readonly delayMs: number };

export type RetryDecision = AttemptEnd & {
  /** The destination says that it no longer exists. */
  readonly gone: boolean;
  /** Overload, or out of reach: fewer concurrent requests. */
  readonly overloaded: boolean;
  /** Pause of the destination. */
  readonly pauseMs: number;
};

interface AttemptPlace {
  /** In the retry schedule, from 1. */
  readonly attempt: number;
  /** From 0 to 1. */
  readonly random: () => number;
}

const succeeded: RetryDecision = { outcome: 'succeeded', gone: false, overloaded: false, pauseMs: 0 };

/** @param place with `now` in epoch milliseconds */
export function classify(
  { status, failure, retryAfter }: Pick<OutboundResponse, 'status' | 'failure' | 'retryAfter'>,
  place: AttemptPlace & { readonly now: number },
): RetryDecision {
  if (failure === null && status !== null && status >= 200 && status < 300) return succeeded;
  const gone = failure === null && status === goneStatus;
  const asked = parseRetryAfter(retryAfter, place.now);
  const asksForLess = status !== null && temporaryStatuses.has(status);
  const isAbsent = failure !== null && absent.has(failure);
  const decision = {
    gone,
    overloaded: asksForLess || failure !== null,
    pauseMs: asksForLess || isAbsent ? Math.min(asked ?? second, maxPause) : 0,
  };
  if (gone) return { ...decision, outcome: 'failed' };
  return { ...decision, ...nextAttempt(place, Math.min(asked ?? 0, maxRetryAfter)) };
}

function nextAttempt({ attempt, random }: AttemptPlace, leastMs: number): AttemptEnd {
  const scheduled = retryDelays[attempt - 1];
  if (scheduled === undefined) return { outcome: 'failed' };
  const jittered = scheduled * (1 - jitter + 2 * jitter * random());
  return { outcome: 'retry', delayMs: Math.round(Math.max(jittered, leastMs)) };
}

/** For an attempt that our own fault prevented, and which somebody may mend: no judgement of the destination. */
export const unsentDecision = (place: AttemptPlace): RetryDecision => ({
  ...nextAttempt(place, 0),
  gone: false,
  overloaded: false,
  pauseMs: 0,
});
