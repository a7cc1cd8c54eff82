/** What an answer means for a delivery and for the endpoint that gave it. Everything here is a function of its input. */
import { parseRetryAfter, temporaryStatuses } from '../http-semantics.ts';
import type { Answer } from '../security/outbound.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** Milliseconds to wait behind each attempt that failed; behind the last one there is no further. */
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

/** A delay is up to this part shorter or longer, so that what failed together is not sent again together. */
const jitter = 0.2;

/** The longest wait that an endpoint can ask for with Retry-After: for the delivery, and for all that goes to it. */
const maxRetryAfter = 12 * hour;
const maxPause = 5 * minute;

/** An endpoint that answers nothing but failures for this long is disabled. */
export const failingLimit = 5 * day;

const gone = 410;

export interface Verdict {
  readonly outcome: 'succeeded' | 'retry' | 'failed';
  /** The endpoint says that it is no more. */
  readonly gone: boolean;
  /** The endpoint is overloaded or out of reach: fewer requests at once. */
  readonly slow: boolean;
  /** Milliseconds until the next attempt; 0 unless there is one. */
  readonly delay: number;
  /** Milliseconds for which nothing is sent to the endpoint. */
  readonly pause: number;
}

/**
 * @param attempt the number of the attempt that the answer is of, from 1
 * @param now epoch milliseconds
 * @param random answers a number from 0 to 1
 */
export function judge(
  { status, failure, retryAfter }: Pick<Answer, 'status' | 'failure' | 'retryAfter'>,
  { attempt, now, random }: { readonly attempt: number; readonly now: number; readonly random: () => number },
): Verdict {
  if (failure === null && status !== null && status >= 200 && status < 300) {
    return { outcome: 'succeeded', gone: false, slow: false, delay: 0, pause: 0 };
  }
  const isGone = failure === null && status === gone;
  const asked = parseRetryAfter(retryAfter, now);
  const asksForLess = status !== null && temporaryStatuses.has(status);
  const verdict = {
    gone: isGone,
    slow: asksForLess || failure !== null,
    pause: asksForLess ? Math.min(asked ?? second, maxPause) : 0,
  };
  const usual = retryDelays[attempt - 1];
  if (isGone || usual === undefined) return { ...verdict, outcome: 'failed', delay: 0 };
  const jittered = usual * (1 - jitter + 2 * jitter * random());
  return { ...verdict, outcome: 'retry', delay: Math.round(Math.max(jittered, Math.min(asked ?? 0, maxRetryAfter))) };
}
