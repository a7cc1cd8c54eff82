/**
 * The circuits that a call passes: that of the service, that of its caller, and that of what it asks of one account.
 * Each opens for what is its own: who asks for something that fails is refused, and nobody else.
 *
 * - **of an account**, as one caller uses it for one capability: calls fail for most of what is asked for there.
 * - **of a caller**: they fail for most of its accounts.
 * - **of the service**: those of most callers say that it is in trouble. A response with 500 says nothing of that
 *   kind: it has dealt with the request. A caller has one vote, however much it asks for: a list that takes too long is
 *   the matter of those who ask for it.
 *
 * A call fails if it has no response that can be read, or one that says `service_unavailable` (see `blameOf`). Any other
 * error of the contract counts as a success.
 *
 * A service that is down therefore opens the circuits of those who call it often, each by itself, and as soon as they
 * are three its own, which protects it from all others.
 */
import { BoundedMap } from '../bounded-map.ts';
import { type CircuitBreaker, createCircuitBreaker, type Permit, type Refusal } from './circuit-breaker.ts';
import { outcomeWindow } from './outcome-window.ts';

/** `trouble` is of the service, `failure` of what was asked for; `unknown` when nobody waited for the outcome. */
export type CallOutcome = 'success' | 'failure' | 'trouble' | 'unknown';

export interface CallPermit {
  /** Records the outcome of the call, once. */
  record(outcome: CallOutcome): void;
}

/** What a call asks for, and who asks. */
export interface CallOrigin {
  readonly keyId: string;
  /** Null where the endpoint acts for no account. */
  readonly accountId: string | null;
  readonly capability: string;
  /** What is acted on: the path. */
  readonly target: string;
}

export interface Circuits {
  /** A permit for one call, unless one of its circuits is open. */
  tryAcquire(origin: CallOrigin): CallPermit | Refusal;
  /** How many of each level are not closed. */
  readonly open: Readonly<Record<CircuitLevel, number>>;
}

/** Outcomes count for ten seconds, and from twenty calls on. */
const window = { windowMs: 10_000, slices: 10, minCalls: 20, failureRate: 0.5 } as const;
export const circuitRules = {
  account: { ...window, minMembers: 1 },
  caller: { ...window, minMembers: 3 },
  service: { ...window, minMembers: 3 },
} as const;

export type CircuitLevel = keyof typeof circuitRules;

/** A circuit that opened from closed, or closed, and whose it is. */
export interface CircuitChange {
  readonly circuit: CircuitLevel;
  readonly state: 'open' | 'closed';
  /** Of a caller, or an account; null for that of the service. */
  readonly id: string | null;
}

/** Circuits that are known at a time. One that is forgotten is closed. */
const maxCallers = 10_000;
const maxAccounts = 10_000;

/** @param now epoch milliseconds */
export function createCircuits(
  now: () => number,
  changed: (change: CircuitChange) => void = () => undefined,
): Circuits {
  const open: Record<CircuitLevel, number> = { service: 0, caller: 0, account: 0 };
  const create = (circuit: CircuitLevel, id: string | null) =>
    createCircuitBreaker(outcomeWindow(circuitRules[circuit], now), now, (state) => {
      open[circuit] += state === 'open' ? 1 : -1;
      changed({ circuit, state, id });
    });
  const dropped = (circuit: CircuitLevel) => (breaker: CircuitBreaker) => {
    if (breaker.isOpen) open[circuit] -= 1;
  };
  const ofService = create('service', null);
  const ofCallers = new BoundedMap<string, CircuitBreaker>(maxCallers, dropped('caller'));
  const ofAccounts = new BoundedMap<string, CircuitBreaker>(maxAccounts, dropped('account'));

  function breakerOf(breakers: typeof ofCallers, id: string, level: CircuitLevel): CircuitBreaker {
    const known = breakers.get(id);
    if (known !== undefined) return known;
    const created = create(level, id);
    breakers.set(id, created);
    return created;
  }

  return {
    open,
    tryAcquire({ keyId, accountId, capability, target }) {
      const account = `${keyId}\0${capability}\0${accountId ?? ''}`;
      const service = ofService.tryAcquire(keyId);
      if ('retryInMs' in service) return service;
      const caller = breakerOf(ofCallers, keyId, 'caller').tryAcquire(account);
      if ('retryInMs' in caller) return released(caller, [service]);
      const own = breakerOf(ofAccounts, account, 'account').tryAcquire(target);
      if ('retryInMs' in own) return released(own, [service, caller]);
      return {
        record(outcome) {
          const result = outcome === 'trouble' ? 'failure' : outcome;
          service.record(outcome === 'failure' ? 'success' : result);
          caller.record(result);
          own.record(result);
        },
      };
    },
  };
}

/** The refusal, once the call has given back what the circuits before had permitted. */
function released(refusal: Refusal, permits: readonly Permit[]): Refusal {
  for (const permit of permits) permit.record('unknown');
  return refusal;
}
