import { getEventListeners } from 'node:events';
import { stat } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { beforeAbort, Deadline, onAbort, within } from '../src/kernel/lib/abort-signal.ts';

test('leaves no timer behind', () => {
  const parent = new AbortController();
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();
  {
    using limit = new Deadline(60_000, parent.signal, 'Too late');
    expect(timers()).toBe(before + 1);
    expect(limit.signal.aborted).toBe(false);
  }
  expect(timers()).toBe(before);
});

test('aborts with its parent, and with the reason of its parent', () => {
  using late = new Deadline(60_000, AbortSignal.abort('why'), 'Too late');
  expect(late.signal.reason).toBe('why');
  const parent = new AbortController();
  using limit = new Deadline(60_000, parent.signal, 'Too late');
  parent.abort('later');
  expect(limit.signal.reason).toBe('later');
});

test('can be ended earlier', () => {
  using limit = new Deadline(60_000, null, 'Too late');
  limit.abort('done');
  expect(limit.signal.reason).toBe('done');
});

test('aborts with a TimeoutError when the time is up', async () => {
  using short = new Deadline(1, null, 'Too late');
  await new Promise((resolve) => short.signal.addEventListener('abort', resolve));
  expect(short.signal.reason).toMatchObject({ name: 'TimeoutError', message: 'Too late' });
});

test('calls each listener once, and none that was removed', () => {
  using limit = new Deadline(60_000, null, 'Too late');
  const called: string[] = [];
  const removed = () => called.push('removed');
  limit.addEventListener('abort', removed);
  limit.addEventListener('abort', () => called.push('first'));
  limit.addEventListener('abort', () => called.push('second'));
  limit.removeEventListener('abort', removed);
  const { signal } = limit;
  limit.abort('done');
  limit.abort('again');
  expect(called).toEqual(['first', 'second']);
  expect([limit.reason, signal.reason]).toEqual(['done', 'done']);
});

test('calls no listener that another one removes meanwhile, as an AbortSignal does', () => {
  using limit = new Deadline(60_000, null, 'Too late');
  const controller = new AbortController();
  for (const [ends, abort] of [
    [controller.signal, () => controller.abort('done')],
    [limit, () => limit.abort('done')],
  ] as const) {
    const called: string[] = [];
    const removed = () => called.push('removed');
    onAbort(ends, () => {
      called.push('first');
      ends.removeEventListener('abort', removed);
    });
    onAbort(ends, removed);
    abort();
    expect(called).toEqual(['first']);
  }
});

test.each(['while it waits', 'before'])(
  'a wait that is ended %s leaves no listener at its other signals',
  async (when) => {
    const [ended, other] = [new AbortController(), new AbortController()];
    if (when === 'before') ended.abort();
    const waiting = beforeAbort(new Promise(() => {}), [ended.signal, other.signal]);
    expect(getEventListeners(other.signal, 'abort')).toHaveLength(when === 'before' ? 0 : 1);
    ended.abort();
    expect(await waiting).toBeNull();
    expect(getEventListeners(other.signal, 'abort')).toEqual([]);
  },
);

test('what has arrived counts, where the process was too busy to read it in time', async () => {
  // The next phase of the event loop is that of timers.
  await new Promise(setImmediate);
  const read = stat(import.meta.filename);
  const waiting = within(20, read, 'Too late');
  const until = performance.now() + 100;
  while (performance.now() < until);
  expect((await waiting).isFile()).toBe(true);
  await expect(within(20, new Promise(() => {}), 'Too late')).rejects.toThrow('Too late');
});
