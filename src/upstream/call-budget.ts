/**
 * What one operation may ask of the upstream: how many calls, and for how long. One GraphQL operation can walk from posts
 * to authors to their posts; the calls that come of it have nothing in common but the signal of their HTTP request.
 */
import { ServiceError } from '../errors.ts';

export interface Allowances {
  /**
   * Takes a call from the allowance of the operation that `signal` belongs to. Answers how many milliseconds it may last.
   * @throws ServiceError `limit_too_high` when the calls are used up, `request_timeout` when the time is
   */
  take(signal: AbortSignal): number;
}

/** @param elapsed milliseconds of a clock that only goes forward */
export function allowances(
  { calls, milliseconds }: { readonly calls: number; readonly milliseconds: number },
  elapsed: () => number,
): Allowances {
  const operations = new WeakMap<AbortSignal, { calls: number; readonly until: number }>();
  return {
    take(signal) {
      const now = elapsed();
      const left = operations.get(signal) ?? { calls, until: now + milliseconds };
      if (left.calls === 0) {
        throw new ServiceError('limit_too_high', {
          detail: `The operation needs more than ${calls} calls of the upstream service. Ask for less at once.`,
        });
      }
      if (left.until <= now) {
        throw new ServiceError('request_timeout', {
          detail: 'The operation has used up its time. Ask for less at once.',
        });
      }
      left.calls -= 1;
      operations.set(signal, left);
      return left.until - now;
    },
  };
}
