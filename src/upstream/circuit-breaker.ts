/**
 * A circuit breaker: when most calls fail, the next ones fail at once for a while, so that a service in trouble is not
 * asked harder and callers do not wait for nothing. Then one call at a time probes whether it is over.
 *
 *   closed ── enough calls, half of them failed ──▶ open ── time passes ──▶ half open ── a probe succeeds ──▶ closed
 *                                                     ◀──────────── a probe fails, and twice the time ──┘
 */

export interface Breaker {
  /** Lets a call pass, or answers how many milliseconds it is too early. */
  enter(): Passage | { readonly closedForMs: number };
}

/** A call that passed. It is told once how the call went; `unknown` where nobody waited for the outcome. */
export interface Passage {
  left(how: 'well' | 'badly' | 'unknown'): void;
}

export const breakerRules = {
  /** Outcomes are counted over this time, in slices that are forgotten one by one. */
  windowMs: 10_000,
  slices: 10,
  /** Fewer calls than these say nothing. */
  minCalls: 20,
  /** The share of failures that opens it. */
  failures: 0.5,
  openMs: 1_000,
  maxOpenMs: 30_000,
} as const;

interface Slice {
  readonly number: number;
  calls: number;
  failures: number;
}

/** @param now milliseconds since the epoch; a clock that is set back only makes it close earlier */
export function breaker(now: () => number): Breaker {
  const sliceMs = breakerRules.windowMs / breakerRules.slices;
  let slices: Slice[] = [];
  let openedAt: number | null = null;
  let openMs: number = breakerRules.openMs;
  let probing = false;

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

  function tripped(): boolean {
    const calls = slices.reduce((sum, slice) => sum + slice.calls, 0);
    const failures = slices.reduce((sum, slice) => sum + slice.failures, 0);
    return calls >= breakerRules.minCalls && failures >= calls * breakerRules.failures;
  }

  const closedPassage: Passage = {
    left(how) {
      // Calls that entered before it opened have nothing more to say.
      if (how === 'unknown' || openedAt !== null) return;
      count(how === 'badly');
      if (how === 'badly' && tripped()) openedAt = now();
    },
  };

  const probe = (): Passage => ({
    left(how) {
      probing = false;
      if (how === 'well') {
        openedAt = null;
        openMs = breakerRules.openMs;
        slices = [];
      } else if (how === 'badly') {
        openedAt = now();
        openMs = Math.min(openMs * 2, breakerRules.maxOpenMs);
      }
    },
  });

  return {
    enter() {
      if (openedAt === null) return closedPassage;
      const passed = now() - openedAt;
      if (passed >= 0 && passed < openMs) return { closedForMs: openMs - passed };
      if (probing) return { closedForMs: openMs };
      probing = true;
      return probe();
    },
  };
}
