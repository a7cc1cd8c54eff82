import { expect, test } from 'vitest';
import { deadline } from '../src/kernel/lib/deadline.ts';

test('leaves no timer behind', () => {
  const parent = new AbortController();
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();
  {
    using limit = deadline(60_000, parent.signal, 'Too late');
    expect(timers()).toBe(before + 1);
    expect(limit.signal.aborted).toBe(false);
  }
  expect(timers()).toBe(before);
});

test('aborts with its parent, and with the reason of its parent', () => {
  using late = deadline(60_000, AbortSignal.abort('why'), 'Too late');
  expect(late.signal.reason).toBe('why');
  const parent = new AbortController();
  using limit = deadline(60_000, parent.signal, 'Too late');
  parent.abort('later');
  expect(limit.signal.reason).toBe('later');
});

test('can be ended earlier', () => {
  using limit = deadline(60_000, null, 'Too late');
  limit.abort('done');
  expect(limit.signal.reason).toBe('done');
});

test('aborts with a TimeoutError when the time is up', async () => {
  using short = deadline(1, null, 'Too late');
  await new Promise((resolve) => short.signal.addEventListener('abort', resolve));
  expect(short.signal.reason).toMatchObject({ name: 'TimeoutError', message: 'Too late' });
});
