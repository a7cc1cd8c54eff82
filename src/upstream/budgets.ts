/** Budgets of calls: of each operation, and of each caller's retries. */
import { ServiceError } from '../kernel/errors.ts';
import { temporaryStatuses } from '../kernel/lib/http-semantics.ts';
import type { Spent } from '../kernel/request-context.ts';
import type { CallFailure } from './failure.ts';

export interface CallBudget {
  /** @returns ms for the call. @throws ServiceError `limit_too_high` or `request_timeout` beyond the budget */
  take(spent: Spent): number;
}

/** @param elapsed monotonic milliseconds, from the first call on */
export function createCallBudget(
  limits: { readonly calls: number; readonly milliseconds: number },
  elapsed: () => number,
): CallBudget {
  return {
    take(spent) {
      const now = elapsed();
      spent.firstCallAt ??= now;
      const remaining = spent.firstCallAt + limits.milliseconds - now;
      if (spent.calls === limits.calls) {
        throw new ServiceError('limit_too_high', {
          detail: `The operation needs more than ${limits.calls} calls to the upstream service. Request less at once.`,
        });
      }
      if (remaining <= 0) {
        throw new ServiceError('request_timeout', {
          detail: 'The operation has used up its time for calls to the upstream service. Request less at once.',
          outcomeUnknown: false,
        });
      }
      spent.calls += 1;
      return remaining;
    },
  };
}

export interface RetryBudget {
  /** Called once per call; pays for a part of a retry. */
  deposit(): void;
  /**
   * @param call.attempt attempts so far. @param call.repeatable whatever the outcome. @param call.remainingMs in all
   * @returns the backoff in milliseconds; null for no retry
   */
  withdraw(
    failure: CallFailure,
    call: { readonly attempt: number; readonly repeatable: boolean; readonly remainingMs: number },
  ): number | null;
}

export const retryRules = {
  attempts: 3,
  /** The first backoff lasts half of this to all of it; each further one twice as long. */
  firstBackoffMs: 100,
  /** Retries that a call pays for. */
  deposit: 0.1,
  /** Retries in a full budget, as it is at first. */
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
      // A request that never arrived changed nothing. Any other is repeated only where that does no harm.
      const harmless = failure.kind === 'unreached' || (repeatable && isWorthRepeating(failure));
      if (!harmless || attempt >= retryRules.attempts || balance < 1) return null;
      const backoff = ((1 + random()) / 2) * retryRules.firstBackoffMs * 2 ** (attempt - 1);
      const wait = Math.max(backoff, failure.retryAfterMs ?? 0);
      if (wait >= remainingMs) return null;
      balance -= 1;
      return wait;
    },
  };
}

function isWorthRepeating({ kind, status }: CallFailure): boolean {
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
