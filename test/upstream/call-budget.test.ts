import { expect, test } from 'vitest';
import { nothingSpent } from '../../src/kernel/request-context.ts';
import { createCallBudget } from '../../src/upstream/client.ts';

test('each operation has its own number of calls, and its own time', () => {
  const clock = { now: 0 };
  const { take } = createCallBudget({ calls: 3, milliseconds: 100 }, () => clock.now);
  const [one, other] = [nothingSpent(), nothingSpent()];
  expect(take(one)).toBe(100);
  clock.now = 60;
  expect(take(one)).toBe(40);
  expect(take(other)).toBe(100);
  expect(take(one)).toBe(40);
  expect(() => take(one)).toThrow('more than 3 calls');
  clock.now = 160;
  expect(() => take(other)).toThrow('used up its time');
});
