import { expect, test } from 'vitest';
import { ServiceError } from '../../src/kernel/errors.ts';
import type { CallFailure } from '../../src/upstream/failure.ts';
import { createRetryBudget, retryRules } from '../../src/upstream/resilient-call.ts';

const failure = (more: Partial<CallFailure>): CallFailure => ({
  kind: 'response',
  error: new ServiceError('provider_error'),
  status: null,
  reported: null,
  retryAfterMs: null,
  instance: null,
  ...more,
});
const backoff = (
  more: Partial<CallFailure>,
  call: Partial<{ attempt: number; repeatable: boolean; remainingMs: number }> = {},
) =>
  createRetryBudget(() => 0.5).withdraw(failure(more), { attempt: 1, repeatable: true, remainingMs: 60_000, ...call });

test.each([429, 502, 503, 504])('a repeatable call is retried after status %i', (status) => {
  expect(backoff({ status })).toBe(75);
  expect(backoff({ status }, { repeatable: false })).toBeNull();
});

test.each([200, 400, 401, 403, 404, 422, 500, 501])('no call is retried after status %i', (status) => {
  expect(backoff({ status })).toBeNull();
});

test('a broken call is retried if it is repeatable, an unreached one always, an expired one never', () => {
  expect(backoff({ kind: 'broken' })).toBe(75);
  expect(backoff({ kind: 'broken' }, { repeatable: false })).toBeNull();
  expect(backoff({ kind: 'unreached' }, { repeatable: false })).toBe(75);
  expect(backoff({ kind: 'expired' })).toBeNull();
});

test('backoffs grow, and attempts end', () => {
  expect(backoff({ kind: 'broken' }, { attempt: 2 })).toBe(150);
  expect(backoff({ kind: 'broken' }, { attempt: retryRules.attempts })).toBeNull();
});

test('Retry-After prolongs the backoff; one beyond the end of the call prevents the retry', () => {
  expect(backoff({ status: 429, retryAfterMs: 2_000 })).toBe(2_000);
  expect(backoff({ status: 429, retryAfterMs: 10 })).toBe(75);
  expect(backoff({ status: 429, retryAfterMs: 2_000 }, { remainingMs: 2_000 })).toBeNull();
});

test('when everything fails, retries add a tenth to the load', () => {
  const budget = createRetryBudget(() => 0);
  let retried = 0;
  for (let n = 0; n < 1_000; n += 1) {
    budget.deposit();
    if (budget.withdraw(failure({ kind: 'broken' }), { attempt: 1, repeatable: true, remainingMs: 1_000 }) !== null) {
      retried += 1;
    }
  }
  expect(retried).toBeGreaterThanOrEqual(100);
  expect(retried).toBeLessThanOrEqual(100 + retryRules.capacity);
});
