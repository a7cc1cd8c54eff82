/**
 * A circuit per API key, account and capability: a call is refused only for failures that the same key has met at the
 * same place.
 *
 * A call fails without a readable response, or with `service_unavailable` (see `isOutage`). Other errors of the
 * contract count as successes.
 *
 * Rejected: a circuit per key, which one hanging account would open for healthy ones; and one of the service by a vote
 * of callers: slots, retry budgets and deadlines of each caller bound the load on a service that is down.
 */
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { boundedLines } from '../telemetry/bounds.ts';
import type { Metrics } from '../telemetry/telemetry.ts';

export interface CallOrigin {
  readonly keyId: string;
  /** Null where the endpoint acts for no account. */
  readonly accountId: string | null;
  readonly capability: string;
  readonly target: string;
}

interface CircuitChange extends Omit<CallOrigin, 'target'> {
  readonly state: 'open' | 'closed';
}

/** A forgotten circuit is closed. */
export const maxCircuits = 10_000;

/** @param now epoch milliseconds */
export function createCircuits(now: () => number, changed: (change: CircuitChange) => void = () => undefined) {
  const breakers = new LRUCache<string, CircuitBreaker, CallOrigin>({
    max: maxCircuits,
    memoMethod: (_id, _stale, { context: { keyId, capability, accountId } }) =>
      createCircuitBreaker(now, (state) => changed({ state, keyId, capability, accountId })),
  });
  const breakerOf = (origin: CallOrigin) =>
    breakers.memo(`${origin.keyId}\0${origin.capability}\0${origin.accountId ?? ''}`, { context: origin });

  return {
    tryAcquire: (origin: CallOrigin) => breakerOf(origin).tryAcquire(origin.target),
    refusalOf: (origin: CallOrigin) => breakerOf(origin).refusal,
    get open() {
      let open = 0;
      for (const { isOpen } of breakers.values()) if (isOpen) open += 1;
      return open;
    },
  };
}

/** A service in trouble opens the circuits of all its callers. */
const circuitLinesPerMinute = 60;

export function logCircuits(
  logger: Logger,
  metrics: Metrics | null,
  now: () => number,
): (change: CircuitChange) => void {
  const mayLog = boundedLines(circuitLinesPerMinute, now);
  return ({ state, keyId, capability, accountId }) => {
    metrics?.count('postern.upstream.circuit.changes', { state });
    const fields = mayLog();
    if (fields === null) return;
    const message = state === 'open' ? 'upstream circuit opened' : 'upstream circuit closed';
    logger[state === 'open' ? 'warn' : 'info']({ keyId, capability, accountId, ...fields }, message);
  };
}

/**
 * A circuit breaker: when calls only fail, further ones fail at once for a while, which spares the service load and
 * callers a wait. Then a few trials find out whether the trouble is over.
 *
 * closed ── calls only fail ──▶ open ── time passes ──▶ half-open ── a trial succeeds ──▶ closed ◀── every trial fails:
 * open for twice the time ──┘
 *
 * The most requested target may be the failing one, and must not speak for the rest: one success in ten seconds keeps a
 * circuit closed, and trials are for different targets. The usual share of failures would refuse targets that work.
 *
 * Not cockatiel: its clock is Date.now, calls queue behind a trial instead of failing at once, and a trial whose
 * outcome nobody waited for would close the circuit.
 */
export interface CircuitBreaker {
  tryAcquire(target: string): Permit | OpenCircuit;
  readonly refusal: OpenCircuit | null;
  readonly isOpen: boolean;
}

/** Wait before the next try. */
export interface OpenCircuit {
  readonly retryInMs: number;
}

/** `unknown` when nobody waited for the outcome. */
export type CallOutcome = 'success' | 'failure' | 'unknown';

export interface Permit {
  /** To be called once. */
  record(outcome: CallOutcome): void;
}

export const breakerRules = {
  /** Failures since the last success; fewer say nothing. */
  minFailures: 20,
  withoutSuccessMs: 10_000,
  openMs: 1_000,
  maxOpenMs: 30_000,
  trials: 3,
} as const;

interface Round {
  readonly inFlight: Set<string>;
  failed: boolean;
}

/** @param now a clock set back closes earlier, or opens later. @param changed at opening and at closing again */
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
      // Calls from before the last change have no say: some hang until their deadline.
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

  function refusal(): OpenCircuit | null {
    if (openedAt === null) return null;
    const openFor = now() - openedAt;
    if (openFor >= 0 && openFor < openMs) return { retryInMs: openMs - openFor };
    // After a failure the other trials decide: further ones would put the decision off for ever.
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
