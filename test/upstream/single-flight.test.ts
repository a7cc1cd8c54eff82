import { expect, test } from 'vitest';
import { createSingleFlight } from '../../src/upstream/single-flight.ts';

function setUp(lastsMs = 60_000) {
  const clock = { now: 0 };
  const singleFlight = createSingleFlight({ lastsMs, joinableMs: 100, message: 'too late' }, () => clock.now);
  const started: { signal: AbortSignal; resolve: (value: unknown) => void; reject: (error: Error) => void }[] = [];
  const run = (owner = 'o', key = 'k', signal: AbortSignal = new AbortController().signal) =>
    singleFlight.run(
      owner,
      key,
      (signal) => new Promise((resolve, reject) => void started.push({ signal, resolve, reject })),
      signal,
    );
  return { clock, singleFlight, started, run };
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

test('failures are shared too', async () => {
  const { started, run } = setUp();
  const both = [run(), run()];
  started[0]?.reject(new Error('no'));
  expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
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
  expect(started[0]?.signal.aborted).toBe(false);
  second.abort(new Error('late'));
  await expect(waits[1]).rejects.toThrow('late');
  expect(started[0]?.signal.reason).toEqual(new Error('late'));
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
  expect(started[0]?.signal.reason).toMatchObject(timeout);
  const next = run();
  expect(started).toHaveLength(2);
  started[1]?.resolve('y');
  expect(await next).toBe('y');
});

test('a flight leaves no timer behind', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();
  const { started, run } = setUp();
  const [landed, failed, left] = [run('o', 'a'), run('o', 'b'), new AbortController()];
  const abandoned = run('o', 'c', left.signal);
  expect(timers()).toBe(before + 3);
  started[0]?.resolve('x');
  started[1]?.reject(new Error('no'));
  left.abort();
  await Promise.allSettled([landed, failed, abandoned]);
  expect(timers()).toBe(before);
});

test('a caller whose signal has aborted starts nothing', async () => {
  const { started, run } = setUp();
  await expect(run('o', 'k', AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
  expect(started).toEqual([]);
});
