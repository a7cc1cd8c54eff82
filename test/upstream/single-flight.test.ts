import { expect, test } from 'vitest';
import type { Deadline } from '../../src/kernel/lib/abort-signal.ts';
import { createSingleFlight } from '../../src/upstream/single-flight.ts';

function setUp(lastsMs = 60_000) {
  const clock = { now: 0 };
  const singleFlight = createSingleFlight({ lastsMs, joinableMs: 100, message: 'too late' }, () => clock.now);
  const started: { limit: Deadline; resolve: (value: string) => Value; reject: (error: Error) => void }[] = [];
  const take = (owner = 'o', key = 'k', signal: AbortSignal = new AbortController().signal) =>
    singleFlight.run(
      owner,
      key,
      (limit) =>
        new Promise<Value>((resolve, reject) => {
          const land = (text: string) => {
            const value = new Value(text);
            resolve(value);
            return value;
          };
          started.push({ limit, resolve: land, reject });
        }),
      signal,
    );
  const run = (...parameters: Parameters<typeof take>) => {
    const text = take(...parameters).then((value) => value.text);
    // Flights that a test leaves behind end a minute later, beside other tests.
    text.catch(() => undefined);
    return text;
  };
  return { clock, singleFlight, started, run, take };
}

/** A value that counts its users. */
class Value {
  readonly text: string;
  users = 1;

  constructor(text: string) {
    this.text = text;
  }

  retain(): void {
    expect(this.users).toBeGreaterThan(0);
    this.users += 1;
  }

  release(): void {
    expect(this.users).toBeGreaterThan(0);
    this.users -= 1;
  }
}

test('equal reads in flight share one call, and the next read makes another', async () => {
  const { started, run } = setUp();
  const both = [run(), run()];
  expect(started).toHaveLength(1);
  started[0]?.resolve('x');
  expect(await Promise.all(both)).toEqual(['x', 'x']);
  const third = run();
  expect(started).toHaveLength(2);
  started[1]?.resolve('y');
  expect(await third).toBe('y');
});

test('neither another owner nor another key joins a flight', () => {
  const { started, run } = setUp();
  void run('a', 'k');
  void run('b', 'k');
  void run('a', 'l');
  expect(started).toHaveLength(3);
});

test('a caller that leaves does not end the flight for the others; the last one does', async () => {
  const { started, run } = setUp();
  const [first, second] = [new AbortController(), new AbortController()];
  const waits = [run('o', 'k', first.signal), run('o', 'k', second.signal)];
  first.abort(new Error('gone'));
  await expect(waits[0]).rejects.toThrow('gone');
  expect(started[0]?.limit.aborted).toBe(false);
  second.abort(new Error('late'));
  await expect(waits[1]).rejects.toThrow('late');
  expect(started[0]?.limit.reason).toEqual(new Error('late'));
  void run();
  expect(started).toHaveLength(2);
});

test('nobody joins a flight that is too old, or that was forgotten', () => {
  const { started, run, clock, singleFlight } = setUp();
  void run();
  clock.now = 99;
  void run();
  expect(started).toHaveLength(1);
  clock.now = 100;
  void run();
  expect(started).toHaveLength(2);
  singleFlight.forget('another');
  void run();
  expect(started).toHaveLength(2);
  singleFlight.forget('o');
  void run();
  expect(started).toHaveLength(3);
});

test('a flight ends by its deadline for everybody, even if its work does not notice', async () => {
  const { started, run } = setUp(5);
  const timeout = { name: 'TimeoutError', message: 'too late' };
  expect(await Promise.allSettled([run(), run()])).toMatchObject([{ reason: timeout }, { reason: timeout }]);
  expect(started).toHaveLength(1);
  expect(started[0]?.limit.reason).toMatchObject(timeout);
  const next = run();
  expect(started).toHaveLength(2);
  started[1]?.resolve('y');
  expect(await next).toBe('y');
});

test('a value is used by its callers alone, until each has released it', async () => {
  const { started, take } = setUp();
  const gone = new AbortController();
  const waits = [take(), take(), take('o', 'k', gone.signal)];
  gone.abort(new Error('gone'));
  const value = started[0]?.resolve('x');
  const [first, second, third] = await Promise.allSettled(waits);
  expect([first?.status, second?.status, third?.status]).toEqual(['fulfilled', 'fulfilled', 'rejected']);
  expect(value?.users).toBe(2);
  value?.release();
  value?.release();
  expect(value?.users).toBe(0);
});

test('a value that nobody waits for any more is released, whenever it comes', async () => {
  const { started, take } = setUp(20);
  const gone = new AbortController();
  const left = take('o', 'left', gone.signal);
  gone.abort(new Error('gone'));
  await expect(left).rejects.toThrow('gone');
  await expect(take('o', 'late')).rejects.toThrow('too late');
  const together = new AbortController();
  const atOnce = take('o', 'at once', together.signal);
  const values = started.map(({ resolve }) => resolve('x'));
  together.abort(new Error('at once'));
  await expect(atOnce).rejects.toThrow('at once');
  await new Promise((resolve) => setImmediate(resolve));
  expect(values.map(({ users }) => users)).toEqual([0, 0, 0]);
});
