/**
 * A circuit breaker: when most calls fail, further calls fail at once for a while, so that a service in trouble gets no
 * extra load and callers do not wait for nothing. Then one trial call at a time finds out whether the trouble is over.
 *
 *   closed ── enough calls, half of them failed ──▶ open ── time passes ──▶ half-open ── the trial succeeds ──▶ closed
 *                                                     ◀────────── the trial fails: open for twice the time ──┘
 *
 * Not cockatiel: its clock is Date.now, calls queue behind the trial while the circuit is half-open instead of failing
 * at once, and a trial whose outcome nobody waited for would close the circuit. It would replace little more than the
 * counting.
 */

export interface CircuitBreaker {
  /** A permit for one call; or, while the circuit is open, how many milliseconds to wait before the next try. */
  tryAcquire(): Permit | { readonly retryInMs: number };
}

/** `unknown` when nobody waited for the outcome. */
export type CallOutcome = 'success' | 'failure' | 'unknown';

export interface Permit {
  /** Records the outcome of the call, once. */
  record(outcome: CallOutcome): void;
}

export const breakerRules = {
  /** Outcomes count for this long, in slices that expire one by one. */
  windowMs: 10_000,
  slices: 10,
  /** The circuit stays closed below this number of calls. */
  minCalls: 20,
  /** The share of failures that opens the circuit. */
  failureRate: 0.5,
  openMs: 1_000,
  maxOpenMs: 30_000,
} as const;

interface Slice {
  readonly number: number;
  calls: number;
  failures: number;
}

/** @param now epoch milliseconds; a clock that is set back only closes the circuit earlier */
export function createCircuitBreaker(now: () => number): CircuitBreaker {
  const sliceMs = breakerRules.windowMs / breakerRules.slices;
  let slices: Slice[] = [];
  let openedAt: number | null = null;
  let openMs: number = breakerRules.openMs;
  let trialInFlight = false;

  function count(failed: boolean): void {
    const number = Math.floor(now() / sliceMs);
    slices = slices.filter((slice) => slice.number <= number && slice.number > number - breakerRules.slices);
    let slice = slices.at(-1);
    if (slice?.number !== number) {
      slice = { number, calls: 0, failures: 0 };
      slices.push(slice);
    }
    slice.calls += 1;
    if (failed) slice.failures += 1;
  }

  function shouldOpen(): boolean {
    const calls = slices.reduce((sum, slice) => sum + slice.calls, 0);
    const failures = slices.reduce((sum, slice) => sum + slice.failures, 0);
    return calls >= breakerRules.minCalls && failures >= calls * breakerRules.failureRate;
  }

  const closedPermit: Permit = {
    record(outcome) {
      // Calls from before the circuit opened have no more say.
      if (outcome === 'unknown' || openedAt !== null) return;
      count(outcome === 'failure');
      if (outcome === 'failure' && shouldOpen()) openedAt = now();
    },
  };

  const halfOpenPermit: Permit = {
    record(outcome) {
      trialInFlight = false;
      if (outcome === 'success') {
        openedAt = null;
        openMs = breakerRules.openMs;
        slices = [];
      } else if (outcome === 'failure') {
        openedAt = now();
        openMs = Math.min(openMs * 2, breakerRules.maxOpenMs);
      }
    },
  };

  return {
    tryAcquire() {
      if (openedAt === null) return closedPermit;
      const openFor = now() - openedAt;
      if (openFor >= 0 && openFor < openMs) return { retryInMs: openMs - openFor };
      if (trialInFlight) return { retryInMs: openMs };
      trialInFlight = true;
      return halfOpenPermit;
    },
  };
}
