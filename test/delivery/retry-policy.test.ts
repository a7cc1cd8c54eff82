/** What a response means for a delivery and for its destination. */
import { expect, it, test } from 'vitest';
import { classify, retryDelays, unsentDecision } from '../../src/delivery/retry-policy.ts';
import { sectionOf } from '../support/docs.ts';

const maxAttempts = retryDelays.length + 1;

const response = (status: number | null, retryAfter: string | null = null) => ({ status, failure: null, retryAfter });
const at = { attempt: 1, now: Date.parse('2026-11-20T12:00:00Z'), random: () => 0.5 };

it('allows ten attempts over about three days', () => {
  expect(maxAttempts).toBe(10);
  const days = retryDelays.reduce((sum, delay) => sum + delay) / 86_400_000;
  expect(days).toBeGreaterThan(2.9);
  expect(days).toBeLessThan(3.2);
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const delayMs = retryDelays[attempt - 1];
    const expected = delayMs === undefined ? { outcome: 'failed' } : { outcome: 'retry', delayMs };
    const judgement = { gone: false, overloaded: false, pauseMs: 0 };
    expect(classify(response(500), { ...at, attempt })).toEqual({ ...expected, ...judgement });
    // As long for a fault of ours: somebody may mend it.
    expect(unsentDecision({ ...at, attempt })).toEqual({ ...expected, ...judgement });
  }
});

it('has the delays that the page of webhooks shows', () => {
  const units = { second: 1_000, minute: 60_000, hour: 3_600_000 };
  const rows = [...sectionOf('Retries').matchAll(/^\| \d+ \| (\d+) (second|minute|hour)s? \|$/gm)];
  expect(rows.map(([, count, unit]) => Number(count) * units[unit as keyof typeof units])).toEqual(retryDelays);
});

test.each([
  [200, 'succeeded'],
  [204, 'succeeded'],
  [299, 'succeeded'],
  [301, 'retry'],
  [307, 'retry'],
  [400, 'retry'],
  [404, 'retry'],
  [500, 'retry'],
  [410, 'failed'],
] as const)('%i: %s', (status, outcome) => {
  expect(classify(response(status), at).outcome).toBe(outcome);
});

it('does not count a truncated response as a success', () => {
  expect(classify({ status: 200, failure: 'timeout', retryAfter: null }, at)).toMatchObject({
    outcome: 'retry',
    overloaded: true,
  });
  expect(classify({ status: 410, failure: 'connection_lost', retryAfter: null }, at).gone).toBe(false);
});

test.each([429, 502, 503, 504])('%i is a sign of overload', (status) => {
  expect(classify(response(status), at)).toMatchObject({ overloaded: true, pauseMs: 1_000 });
  expect(classify(response(status, '20'), at)).toMatchObject({ delayMs: 20_000, pauseMs: 20_000 });
  expect(classify(response(status, '999999'), at)).toMatchObject({ delayMs: 12 * 3_600_000, pauseMs: 300_000 });
});

test.each(['connection_failed', 'connection_lost', 'name_not_found', 'tls_failed'] as const)(
  '%s is one, too',
  (failure) => {
    expect(classify({ status: null, failure, retryAfter: null }, at)).toMatchObject({
      overloaded: true,
      pauseMs: 1_000,
    });
  },
);

test.each(['timeout', 'address_refused', 'invalid_response'] as const)('%s pauses nothing', (failure) => {
  expect(classify({ status: null, failure, retryAfter: null }, at)).toMatchObject({ overloaded: true, pauseMs: 0 });
});
