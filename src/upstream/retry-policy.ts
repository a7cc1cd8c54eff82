/**
 * Whether and when a failed call is retried. Retries are paid from a budget that all calls of a caller share: when
 * everything fails, they add a tenth to the load and no more, and a caller whose calls fail spends what is its own.
 */
import { temporaryStatuses } from '../kernel/lib/http-semantics.ts';
import type { Failure } from './failure.ts';

export interface RetryBudget {
  /** Pays for a part of a retry. Every call deposits once. */
  deposit(): void;
  /**
   * Takes a retry from the budget.
   * @param call.attempt how many attempts have been made
   * @param call.repeatable whether the call can be repeated whatever its outcome was
   * @param call.remainingMs how long the call may still last
   * @returns the milliseconds to back off before the retry; null if there must be none
   */
  withdraw(
    failure: Failure,
    call: { readonly attempt: number; readonly repeatable: boolean; readonly remainingMs: number },
  ): number | null;
}

export const retryRules = {
  attempts: 3,
  /** The first backoff is between half of this and all of it. Each further one is twice as long. */
  firstBackoffMs: 100,
  /** The part of a retry that a call pays for. */
  deposit: 0.1,
  /** How many retries the budget holds at most, and at first. */
  capacity: 20,
} as const;

/** @param random from 0 up to 1 */
export function createRetryBudget(random: () => number): RetryBudget {
  let balance: number = retryRules.capacity;
  return {
    deposit() {
      balance = Math.min(retryRules.capacity, balance + retryRules.deposit);
    },
    withdraw(failure, { attempt, repeatable, remainingMs }) {
      // A request that never reached the service changed nothing. Any other is repeated only where that does no harm.
      const harmless = failure.kind === 'unreached' || (repeatable && isTemporary(failure));
      if (!harmless || attempt >= retryRules.attempts || balance < 1) return null;
      const backoff = ((1 + random()) / 2) * retryRules.firstBackoffMs * 2 ** (attempt - 1);
      const wait = Math.max(backoff, failure.retryAfterMs ?? 0);
      if (wait >= remainingMs) return null;
      balance -= 1;
      return wait;
    },
  };
}

function isTemporary({ kind, status }: Failure): boolean {
  switch (kind) {
    case 'unreached':
    case 'broken':
      return true;
    case 'response':
      return status !== null && temporaryStatuses.has(status);
    case 'expired':
      return false;
    default:
      return kind satisfies never;
  }
}
