/** How the connections to Postgres are divided. */
import { expect, test } from 'vitest';
import { divideConnections } from '../../src/store/databases.ts';

test('the pools have all connections together, and each has one', () => {
  for (let total = 5; total <= 1_000; total += 1) {
    const parts = Object.values(divideConnections(total));
    expect(Math.min(...parts), String(total)).toBeGreaterThanOrEqual(1);
    expect(parts.reduce((sum, part) => sum + part, 0)).toBe(total);
  }
  expect(divideConnections(20)).toEqual({ keys: 4, accounts: 4, jobs: 4, queue: 2, deliveries: 6 });
});
