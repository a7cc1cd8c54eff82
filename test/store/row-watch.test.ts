/** Watching rows: how often they are polled, and which changes watchers receive. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { DatabaseFault } from '../../src/store/faults.ts';
import { maxChangedIds, type UpdateListener } from '../../src/store/notifications.ts';
import { createRowWatch, createWatchFeed } from '../../src/store/watch-feed.ts';

interface Row {
  readonly id: string;
  readonly value: number;
}

function setUp() {
  const rows = new Map<string, Row>(['a', 'b', 'c'].map((id) => [id, { id, value: 0 }]));
  const read: string[][] = [];
  let failure: Error | null = null;
  const find = (ids: readonly string[]) => ids.flatMap((id) => rows.get(id) ?? []);
  const watch = createRowWatch<Row>({
    versionOf: ({ value }) => String(value),
    async read(ids) {
      read.push([...ids]);
      if (failure !== null) throw failure;
      return find(ids);
    },
  });
  return {
    watch,
    read,
    set: (id: string, value: number) => void rows.set(id, { id, value }),
    fail: (error: Error | null) => {
      failure = error;
    },
  };
}

const whole = (row: Row): Row => row;

test('many watchers share one statement, and get only changed rows', async () => {
  const { watch, read, set } = setUp();
  const leave = new AbortController();
  const all = await Promise.all(Array.from({ length: 50 }, () => watch.watch(['a', 'b'], leave.signal, whole)));
  for (const each of all) {
    expect([(await each.next()).value, (await each.next()).value]).toEqual([
      { id: 'a', value: 0 },
      { id: 'b', value: 0 },
    ]);
  }
  const before = read.length;
  expect(before).toBeLessThanOrEqual(2);
  set('b', 1);
  expect(await Promise.all(all.map((each) => each.next()))).toEqual(
    Array(50).fill({ done: false, value: { id: 'b', value: 1 } }),
  );
  expect(read.slice(before)).toEqual([['a', 'b']]);
  leave.abort();
});

test('a slow reader gets the newest state of each row', async () => {
  const { watch, set } = setUp();
  const leave = new AbortController();
  const slow = await watch.watch(['a'], leave.signal, whole);
  const quick = await watch.watch(['a'], leave.signal, whole);
  for (const value of [1, 2, 3]) {
    await quick.next();
    set('a', value);
  }
  await quick.next();
  expect((await slow.next()).value).toEqual({ id: 'a', value: 3 });
  leave.abort();
});

test('a watcher gets no rows that it may not see', async () => {
  const { watch, set } = setUp();
  const leave = new AbortController();
  const odd = await watch.watch(['a', 'b', 'missing'], leave.signal, (row) => (row.value % 2 === 1 ? row : null));
  const next = odd.next();
  set('b', 7);
  expect((await next).value).toEqual({ id: 'b', value: 7 });
  leave.abort();
});

test('polling ends when nobody watches any more, whether a watcher has left or was never started', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { watch, read } = setUp();
  const leave = new AbortController();
  const started = await watch.watch(['a'], leave.signal, whole);
  await watch.watch(['b'], leave.signal, whole);
  await started.next();
  const pending = started.next();
  const before = read.length;
  await vi.advanceTimersByTimeAsync(500);
  expect(read.length).toBe(before + 1);
  leave.abort();
  expect(await pending).toEqual({ done: true, value: undefined });
  expect(vi.getTimerCount()).toBe(0);
  expect(await (await watch.watch(['a'], leave.signal, whole)).next()).toMatchObject({ done: true });
});

test('an error ends the streams, and later watchers are served', async () => {
  const { watch, fail } = setUp();
  const { signal } = new AbortController();
  const first = await watch.watch(['a'], signal, whole);
  await first.next();
  fail(new Error('a bug'));
  await expect(first.next()).rejects.toThrow('a bug');
  await expect((await watch.watch(['a'], signal, whole)).next()).rejects.toThrow('a bug');
  fail(null);
  expect((await (await watch.watch(['a'], AbortSignal.timeout(2_000), whole)).next()).value).toEqual({
    id: 'a',
    value: 0,
  });
});

test('a fault of the database is waited out, by those who come meanwhile too', async () => {
  const { watch, set, fail, read } = setUp();
  const leave = new AbortController();
  const first = await watch.watch(['a'], leave.signal, whole);
  await first.next();
  fail(new DatabaseFault('unavailable', new Error('away')));
  const [next, later] = [first.next(), (await watch.watch(['b'], leave.signal, whole)).next()];
  const before = read.length;
  await expect.poll(() => read.length).toBeGreaterThan(before + 1);
  set('a', 1);
  fail(null);
  expect((await next).value).toEqual({ id: 'a', value: 1 });
  expect((await later).value).toEqual({ id: 'b', value: 0 });
  leave.abort();
});

test.each([
  ['after', true],
  ['before', false],
])('a row that is stored while a replay is read comes once if it is found %s that', async (_, isLater) => {
  const stored = ['a', 'b', 'c'];
  const posted: string[] = [];
  let found = stored.length;
  const listeners: UpdateListener[] = [];
  const { watch } = createWatchFeed<null, { readonly id: string }, string>({
    keysOf: () => ['all'],
    keyOf: () => 'all',
    overflow: 'fails',
    read: async (_, ids) => ids.map((id) => ({ id })),
    takes: (_, { id }) => posted.push(id) > 0,
    toState: ({ id }) => id,
    listen(listener) {
      listeners.push(listener);
      return () => undefined;
    },
    tail: {
      async *look() {
        const ids = stored.slice(found);
        found += ids.length;
        yield ids;
      },
    },
  });
  const leave = new AbortController();
  const states = await watch(
    null,
    leave.signal,
    (id) => id,
    async () => {
      found = 1;
      const replayed = stored.slice(0, 2).map((id) => [id, id] as const);
      if (!isLater) {
        for (const { onUpdated } of listeners) onUpdated([]);
        await vi.waitFor(() => expect(posted).toEqual(['b', 'c']));
      }
      return replayed;
    },
  );
  const read = [(await states.next()).value, (await states.next()).value];
  for (const { onUpdated } of listeners) onUpdated([]);
  read.push((await states.next()).value);
  stored.push('d');
  for (const { onUpdated } of listeners) onUpdated([]);
  read.push((await states.next()).value);
  expect(read).toEqual(['a', 'b', 'c', 'd']);
  leave.abort();
});

test.each([
  ['fail where each row is told once', 'fails'],
  ['miss the oldest where what changes again is told again', 'drops'],
] as const)('watchers of more changed rows than are kept until they are read %s', async (_, overflow) => {
  const listeners: UpdateListener[] = [];
  const { watch } = createWatchFeed<null, { readonly id: string }, string>({
    keysOf: () => ['all'],
    keyOf: () => 'all',
    overflow,
    read: async (_scopes, ids) => ids.map((id) => ({ id })),
    takes: () => true,
    toState: ({ id }) => id,
    listen(listener) {
      listeners.push(listener);
      return () => undefined;
    },
  });
  const leave = new AbortController();
  const states = await watch(null, leave.signal, (id) => id);
  const changed = Array.from({ length: maxChangedIds + 1 }, (_id, n) => String(n));
  for (const { onUpdated } of listeners) onUpdated(changed);
  if (overflow === 'drops') expect((await states.next()).value).toBe('1');
  else await expect(states.next()).rejects.toMatchObject({ errorName: 'service_unavailable' });
  leave.abort();
});
