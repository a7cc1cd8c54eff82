/**
 * A limit on what one operation asks of the upstream: how many calls, and for how long. One GraphQL operation can walk
 * from posts to authors to their posts. All its calls have in common is the signal of their HTTP request.
 */
import { ServiceError } from '../kernel/errors.ts';

export interface CallBudget {
  /**
   * Takes a call from the budget of the operation that `signal` belongs to.
   * @returns how many milliseconds the call may last
   * @throws ServiceError `limit_too_high` when no calls are left, `request_timeout` when no time is left
   */
  take(signal: AbortSignal): number;
}

/**
 * @param limits of one operation, from its first call on
 * @param elapsed milliseconds of a clock that only goes forward
 */
export function createCallBudget(
  limits: { readonly calls: number; readonly milliseconds: number },
  elapsed: () => number,
): CallBudget {
  const operations = new WeakMap<AbortSignal, { calls: number; readonly endsAt: number }>();
  return {
    take(signal) {
      const now = elapsed();
      const remaining = operations.get(signal) ?? { calls: limits.calls, endsAt: now + limits.milliseconds };
      if (remaining.calls === 0) {
        throw new ServiceError('limit_too_high', {
          detail: `The operation needs more than ${limits.calls} calls to the upstream service. Request less at once.`,
        });
      }
      if (remaining.endsAt <= now) {
        throw new ServiceError('request_timeout', {
          detail: 'The operation has used up its time. Request less at once.',
          outcomeUnknown: false,
        });
      }
      remaining.calls -= 1;
      operations.set(signal, remaining);
      return remaining.endsAt - now;
    },
  };
}
