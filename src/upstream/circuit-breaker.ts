/**
 * A circuit breaker: when calls only fail, further calls fail at once for a while, so that what is in trouble gets no
 * extra load and callers do not wait for nothing. Then a few trial calls find out whether the trouble is over.
 *
 *   closed ── calls only fail ──▶ open ── time passes ──▶ half-open ── a trial succeeds ──▶ closed
 *                                   ◀── every trial fails: open for twice the time ──┘
 *
 * What is asked for most may be the very thing that fails, and must not speak for the rest. So one success in ten seconds
 * keeps a circuit closed, trials are for different targets, and one that succeeds closes it. A share of failures, as usual
 * elsewhere, would refuse what works.
 *
 * Not cockatiel: its clock is Date.now, calls queue behind the trial while the circuit is half-open instead of failing
 * at once, and a trial whose outcome nobody waited for would close the circuit.
 */
export interface CircuitBreaker {
  /**
   * A permit for one call, unless the circuit is open.
   * @param target what the call is for
   */
  tryAcquire(target: string): Permit | Refusal;
  /** The refusal that every call gets at present; null if a call may get a permit. */
  readonly refusal: Refusal | null;
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
  /** Failures since the last success; fewer say nothing. */
  minFailures: 20,
  /** How long nothing may have succeeded. */
  withoutSuccessMs: 10_000,
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
 * @param now epoch milliseconds; a clock that is set back only closes the circuit earlier, or opens it later
 * @param changed is told when a closed circuit opens, and when it closes again
 */
export function createCircuitBreaker(
  now: () => number,
  changed: (state: 'open' | 'closed') => void = () => undefined,
): CircuitBreaker {
  let openedAt: number | null = null;
  let openMs: number = breakerRules.openMs;
  let round = newRound();
  let failures = 0;
  let succeededAt = Number.NEGATIVE_INFINITY;

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
    succeeded();
    changed('closed');
  }

  function succeeded(): void {
    failures = 0;
    succeededAt = now();
  }

  const closedPermit = (own: Round): Permit => ({
    record(outcome) {
      // Calls from before the circuit opened have no more say, also once it has closed: some hang until their deadline.
      if (outcome === 'unknown' || own !== round) return;
      if (outcome === 'success') return succeeded();
      failures += 1;
      if (failures >= breakerRules.minFailures && now() - succeededAt >= breakerRules.withoutSuccessMs) open();
    },
  });

  const trialPermit = (target: string, own: Round): Permit => ({
    record(outcome) {
      own.inFlight.delete(target);
      if (own !== round) return;
      if (outcome === 'success') close();
      if (outcome === 'failure') own.failed = true;
      if (!own.failed || own.inFlight.size > 0) return;
      openMs = Math.min(openMs * 2, breakerRules.maxOpenMs);
      open();
    },
  });

  function refusal(): Refusal | null {
    if (openedAt === null) return null;
    const openFor = now() - openedAt;
    if (openFor >= 0 && openFor < openMs) return { retryInMs: openMs - openFor };
    // After a failure the others decide: further trials would put the decision off for ever.
    return round.failed || round.inFlight.size >= breakerRules.trials ? { retryInMs: openMs } : null;
  }

  return {
    get isOpen() {
      return openedAt !== null;
    },
    get refusal() {
      return refusal();
    },
    tryAcquire(target) {
      const refused = refusal();
      if (refused !== null) return refused;
      if (openedAt === null) return closedPermit(round);
      if (round.inFlight.has(target)) return { retryInMs: openMs };
      round.inFlight.add(target);
      return trialPermit(target, round);
    },
  };
}

const newRound = (): Round => ({ inFlight: new Set(), failed: false });
