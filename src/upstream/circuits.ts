/**
 * Circuits of callers: one for what an API key asks of one account with one capability. So a call is refused only for what
 * the same key has met where it asks: neither another key's failures count, nor those of another account or capability.
 *
 * A call fails if it has no response that can be read, or one that says `service_unavailable` (see `isOutage`). Any other
 * error of the contract counts as a success.
 *
 * Rejected: a circuit for a key as a whole, which one account that hangs would open for the healthy ones; and one of the
 * service by a vote of its callers. Slots, retry budgets and deadlines of each caller bound the load on a service that is down.
 */
import { LRUCache } from 'lru-cache';
import { type CircuitBreaker, createCircuitBreaker, type Permit, type Refusal } from './circuit-breaker.ts';

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
  /** A permit for one call, unless its circuit is open. */
  tryAcquire(origin: CallOrigin): Permit | Refusal;
  /** The refusal that the call would get at present; null if it may get a permit. */
  refusalOf(origin: CallOrigin): Refusal | null;
  /** How many are open, or half-open. */
  readonly open: number;
}

/** A circuit that opened from closed, or closed, and whose it is. */
export interface CircuitChange extends Omit<CallOrigin, 'target'> {
  readonly state: 'open' | 'closed';
}

/** Circuits that are known at a time. One that is forgotten is closed. */
export const maxCircuits = 10_000;

/** @param now epoch milliseconds */
export function createCircuits(
  now: () => number,
  changed: (change: CircuitChange) => void = () => undefined,
): Circuits {
  const breakers = new LRUCache<string, CircuitBreaker>({ max: maxCircuits });

  function breakerOf({ keyId, capability, accountId }: CallOrigin): CircuitBreaker {
    const id = `${keyId}\0${capability}\0${accountId ?? ''}`;
    const known = breakers.get(id);
    if (known !== undefined) return known;
    const created = createCircuitBreaker(now, (state) => changed({ state, keyId, capability, accountId }));
    breakers.set(id, created);
    return created;
  }

  return {
    tryAcquire: (origin) => breakerOf(origin).tryAcquire(origin.target),
    refusalOf: (origin) => breakerOf(origin).refusal,
    get open() {
      let open = 0;
      for (const { isOpen } of breakers.values()) if (isOpen) open += 1;
      return open;
    },
  };
}
