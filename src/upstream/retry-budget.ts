/** Whether and when a failed call is made again. */
import type { Failure } from './failure.ts';

export interface Retries {
  /** Notes a call, so that it can pay for a retry: its own or another's. */
  called(): void;
  /**
   * How many milliseconds to wait before the next attempt; null where there is none.
   * @param attempt how many have been made
   * @param repeatable whether it can be made again whatever became of it
   * @param remainingMs how long the call may still last
   */
  waitBefore(failure: Failure, call: { attempt: number; repeatable: boolean; remainingMs: number }): number | null;
}

export const retryRules = {
  attempts: 3,
  /** The first wait is somewhere between half of this and all of it, and each further one twice as long. */
  firstWaitMs: 100,
  /** A call pays this part of a retry: when everything fails, retries add a tenth to the load and no more. */
  share: 0.1,
  /** Retries that can be saved up. */
  saved: 20,
} as const;

/** Statuses that say "not now": an answer that may be another one soon. */
const passing: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** @param random from 0 up to 1 */
export function retries(random: () => number): Retries {
  let budget: number = retryRules.saved;
  return {
    called() {
      budget = Math.min(retryRules.saved, budget + retryRules.share);
    },
    waitBefore(failure, { attempt, repeatable, remainingMs }) {
      // What never reached the service cannot have happened; anything else is only repeated where that does no harm.
      const harmless = failure.kind === 'unreached' || (repeatable && mayPass(failure));
      if (!harmless || attempt >= retryRules.attempts || budget < 1) return null;
      const backoff = ((1 + random()) / 2) * retryRules.firstWaitMs * 2 ** (attempt - 1);
      const wait = Math.max(backoff, failure.retryAfterMs ?? 0);
      if (wait >= remainingMs) return null;
      budget -= 1;
      return wait;
    },
  };
}

function mayPass({ kind, status }: Failure): boolean {
  switch (kind) {
    case 'unreached':
    case 'broken':
      return true;
    case 'answered':
      return status !== null && passing.has(status);
    case 'expired':
      return false;
    default:
      return kind satisfies never;
  }
}
