/**
 * A circuit breaker: when most calls fail, further calls fail at once for a while, so that what is in trouble gets no
 * extra load and callers do not wait for nothing. Then a few trial calls find out whether the trouble is over.
 *
 *   closed ── most calls fail ──▶ open ── time passes ──▶ half-open ── a trial succeeds ──▶ closed
 *                                   ◀── every trial fails: open for twice the time ──┘
 *
 * Trials are of different members, and one success is enough: what is asked for most may be the very thing that fails,
 * and must not speak for the rest.
 *
 * Not cockatiel: its clock is Date.now, calls queue behind the trial while the circuit is half-open instead of failing
 * at once, and a trial whose outcome nobody waited for would close the circuit. It would replace little more than the
 * counting.
 */
import type { OutcomeWindow } from './outcome-window.ts';

export interface CircuitBreaker {
  /**
   * A permit for one call, unless the circuit is open.
   * @param member whom or what the call is for
   */
  tryAcquire(member: string): Permit | Refusal;
  /** Whether it is open, or half-open. */
  readonly isOpen: boolean;
}

/** How many milliseconds to wait before the next try. */
export interface Refusal {
  readonly retryInMs: number;
}

/** `unknown` when nobody waited for the outcome. */
export type Outcome = 'success' | 'failure' | 'unknown';

export interface Permit {
  /** Records the outcome of the call, once. */
  record(outcome: Outcome): void;
}

export const breakerRules = {
  openMs: 1_000,
  maxOpenMs: 30_000,
  /** Trials at a time. */
  trials: 3,
} as const;

/** From one opening or closing of a circuit to the next, with the trials of one that is half-open. */
interface Round {
  readonly inFlight: Set<string>;
  failed: boolean;
}

/**
 * @param now epoch milliseconds; a clock that is set back only closes the circuit earlier
 * @param changed is told when a closed circuit opens, and when it closes again
 */
export function createCircuitBreaker(
  window: OutcomeWindow,
  now: () => number,
  changed: (state: 'open' | 'closed') => void = () => undefined,
): CircuitBreaker {
  let openedAt: number | null = null;
  let openMs: number = breakerRules.openMs;
  let round: Round = newRound();

  function open(): void {
    const wasClosed = openedAt === null;
    openedAt = now();
    round = newRound();
    if (wasClosed) changed('open');
  }

  function close(): void {
    openedAt = null;
    openMs = breakerRules.openMs;
    round = newRound();
    window.clear();
    changed('closed');
  }

  const closedPermit = (member: string, own: Round): Permit => ({
    record(outcome) {
      // Calls from before the circuit opened have no more say, also once it has closed: some hang until their deadline.
      if (outcome === 'unknown' || own !== round) return;
      window.count(member, outcome === 'failure');
      if (outcome === 'failure' && window.mostFail()) open();
    },
  });

  const trialPermit = (member: string, own: Round): Permit => ({
    record(outcome) {
      own.inFlight.delete(member);
      if (own !== round) return;
      if (outcome === 'success') close();
      if (outcome === 'failure') own.failed = true;
      if (!own.failed || own.inFlight.size > 0) return;
      openMs = Math.min(openMs * 2, breakerRules.maxOpenMs);
      open();
    },
  });

  return {
    get isOpen() {
      return openedAt !== null;
    },
    tryAcquire(member) {
      if (openedAt === null) return closedPermit(member, round);
      const openFor = now() - openedAt;
      if (openFor >= 0 && openFor < openMs) return { retryInMs: openMs - openFor };
      // After a failure the others decide: further trials would put the decision off for ever.
      const hasRoom = !round.failed && round.inFlight.size < breakerRules.trials && !round.inFlight.has(member);
      if (!hasRoom) return { retryInMs: openMs };
      round.inFlight.add(member);
      return trialPermit(member, round);
    },
  };
}

const newRound = (): Round => ({ inFlight: new Set(), failed: false });
