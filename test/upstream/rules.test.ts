/** The rules of the upstream client one by one, with time and chance in the test's hands. */
import { describe, expect, test } from 'vitest';
import { deadline } from '../../src/deadline.ts';
import { ServiceError } from '../../src/errors.ts';
import { allowances } from '../../src/upstream/call-budget.ts';
import { type Breaker, breaker, breakerRules, type Passage } from '../../src/upstream/circuit-breaker.ts';
import type { Failure } from '../../src/upstream/failure.ts';
import { retries, retryRules } from '../../src/upstream/retry-budget.ts';
import { flights } from '../../src/upstream/single-flight.ts';

describe('circuit breaker', () => {
  function setUp() {
    const clock = { now: 1_000_000 };
    const guard = breaker(() => clock.now);
    const call = (how: Parameters<Passage['left']>[0]) => {
      const passage = guard.enter();
      if ('left' in passage) passage.left(how);
      return 'left' in passage;
    };
    return { clock, guard, call };
  }
  const probing = (guard: Breaker): Passage => {
    const passage = guard.enter();
    if (!('left' in passage)) throw new Error('It is open');
    return passage;
  };

  test('opens when half of enough calls failed, and not before', () => {
    const { call, guard } = setUp();
    for (let n = 0; n < breakerRules.minCalls / 2; n += 1) expect(call('well')).toBe(true);
    for (let n = 0; n < breakerRules.minCalls / 2; n += 1) expect(call('badly')).toBe(true);
    expect(guard.enter()).toEqual({ closedForMs: breakerRules.openMs });
  });

  test('few failures among many calls do not open it, nor do calls that nobody waited for', () => {
    const { call } = setUp();
    for (let n = 0; n < 100; n += 1) expect(call(n % 3 === 0 ? 'badly' : 'well')).toBe(true);
    for (let n = 0; n < 100; n += 1) expect(call('unknown')).toBe(true);
  });

  test('failures are forgotten with time', () => {
    const { call, clock } = setUp();
    for (let n = 0; n < 200; n += 1) {
      expect(call('badly')).toBe(true);
      clock.now += breakerRules.windowMs / (breakerRules.minCalls - 1);
    }
  });

  test('lets one probe pass at a time, and closes when it goes well', () => {
    const { call, guard, clock } = setUp();
    for (let n = 0; n < breakerRules.minCalls; n += 1) call('badly');
    clock.now += breakerRules.openMs - 1;
    expect(guard.enter()).toEqual({ closedForMs: 1 });
    clock.now += 1;
    const probe = probing(guard);
    expect(guard.enter()).toHaveProperty('closedForMs');
    probe.left('well');
    for (let n = 0; n < breakerRules.minCalls - 1; n += 1) expect(call('badly')).toBe(true);
  });

  test('a probe that fails doubles the wait, up to a bound; one that nobody waited for lets the next one try', () => {
    const { call, guard, clock } = setUp();
    for (let n = 0; n < breakerRules.minCalls; n += 1) call('badly');
    for (let wait: number = breakerRules.openMs; wait < breakerRules.maxOpenMs * 4; wait *= 2) {
      expect(guard.enter()).toEqual({ closedForMs: Math.min(wait, breakerRules.maxOpenMs) });
      clock.now += Math.min(wait, breakerRules.maxOpenMs);
      probing(guard).left('unknown');
      probing(guard).left('badly');
    }
  });

  test('a clock that is set back does not keep it open', () => {
    const { call, clock } = setUp();
    for (let n = 0; n < breakerRules.minCalls; n += 1) call('badly');
    clock.now -= 3_600_000;
    expect(call('well')).toBe(true);
  });
});

describe('retries', () => {
  const failure = (more: Partial<Failure>): Failure => ({
    kind: 'answered',
    error: new ServiceError('provider_error'),
    status: null,
    retryAfterMs: null,
    instance: null,
    ...more,
  });
  const wait = (
    more: Partial<Failure>,
    call: Partial<{ attempt: number; repeatable: boolean; remainingMs: number }> = {},
  ) => retries(() => 0.5).waitBefore(failure(more), { attempt: 1, repeatable: true, remainingMs: 60_000, ...call });

  test.each([429, 502, 503, 504])('a repeatable call that was answered %i is made again', (status) => {
    expect(wait({ status })).toBe(75);
    expect(wait({ status }, { repeatable: false })).toBeNull();
  });

  test.each([200, 400, 401, 403, 404, 422, 500, 501])('none that was answered %i is', (status) => {
    expect(wait({ status })).toBeNull();
  });

  test('what broke is made again only where that does no harm, what never arrived always, what expired never', () => {
    expect(wait({ kind: 'broken' })).toBe(75);
    expect(wait({ kind: 'broken' }, { repeatable: false })).toBeNull();
    expect(wait({ kind: 'unreached' }, { repeatable: false })).toBe(75);
    expect(wait({ kind: 'expired' })).toBeNull();
  });

  test('waits grow, and end', () => {
    expect(wait({ kind: 'broken' }, { attempt: 2 })).toBe(150);
    expect(wait({ kind: 'broken' }, { attempt: retryRules.attempts })).toBeNull();
  });

  test('the service may ask for more patience, but not for more than the call has', () => {
    expect(wait({ status: 429, retryAfterMs: 2_000 })).toBe(2_000);
    expect(wait({ status: 429, retryAfterMs: 10 })).toBe(75);
    expect(wait({ status: 429, retryAfterMs: 2_000 }, { remainingMs: 2_000 })).toBeNull();
  });

  test('when everything fails, retries add a tenth', () => {
    const rules = retries(() => 0);
    let retried = 0;
    for (let n = 0; n < 1_000; n += 1) {
      rules.called();
      if (
        rules.waitBefore(failure({ kind: 'broken' }), { attempt: 1, repeatable: true, remainingMs: 1_000 }) !== null
      ) {
        retried += 1;
      }
    }
    expect(retried).toBeGreaterThanOrEqual(100);
    expect(retried).toBeLessThanOrEqual(100 + retryRules.saved);
  });
});

describe('coalescing', () => {
  function setUp() {
    const clock = { now: 0 };
    const shared = flights(100, () => clock.now);
    const started: {
      owner: string;
      signal: AbortSignal;
      land: (value: unknown) => void;
      crash: (error: Error) => void;
    }[] = [];
    const join = (owner = 'o', key = 'k', signal: AbortSignal = new AbortController().signal) =>
      shared.join(
        owner,
        key,
        (flight) =>
          new Promise((land, crash) => {
            started.push({ owner, signal: flight, land, crash });
          }),
        signal,
      );
    return { clock, shared, started, join };
  }

  test('equal reads under way are one, and the next one is another', async () => {
    const { started, join } = setUp();
    const both = [join(), join()];
    expect(started).toHaveLength(1);
    started[0]?.land('x');
    expect(await Promise.all(both)).toEqual(['x', 'x']);
    const third = join();
    expect(started).toHaveLength(2);
    started[1]?.land('y');
    expect(await third).toBe('y');
  });

  test('failures are shared too', async () => {
    const { started, join } = setUp();
    const both = [join(), join()];
    started[0]?.crash(new Error('no'));
    expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  test('neither another owner nor another key joins', () => {
    const { started, join } = setUp();
    void join('a', 'k');
    void join('b', 'k');
    void join('a', 'l');
    expect(started).toHaveLength(3);
  });

  test('one that leaves does not take the others with it; the last one ends the flight', async () => {
    const { started, join } = setUp();
    const [first, second] = [new AbortController(), new AbortController()];
    const waits = [join('o', 'k', first.signal), join('o', 'k', second.signal)];
    first.abort(new Error('gone'));
    await expect(waits[0]).rejects.toThrow('gone');
    expect(started[0]?.signal.aborted).toBe(false);
    second.abort(new Error('late'));
    await expect(waits[1]).rejects.toThrow('late');
    expect(started[0]?.signal.reason).toEqual(new Error('late'));
    void join();
    expect(started).toHaveLength(2);
  });

  test('nobody joins one that has been under way for long, or from before a change', () => {
    const { started, join, clock, shared } = setUp();
    void join();
    clock.now = 99;
    void join();
    expect(started).toHaveLength(1);
    clock.now = 100;
    void join();
    expect(started).toHaveLength(2);
    shared.close('another');
    void join();
    expect(started).toHaveLength(2);
    shared.close('o');
    void join();
    expect(started).toHaveLength(3);
  });

  test('nobody joins with a signal that has aborted', async () => {
    const { started, join } = setUp();
    await expect(join('o', 'k', AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
    expect(started).toEqual([]);
  });
});

test('an operation has so many calls, and so much time', () => {
  const clock = { now: 0 };
  const { take } = allowances({ calls: 3, milliseconds: 100 }, () => clock.now);
  const [one, other] = [new AbortController().signal, new AbortController().signal];
  expect(take(one)).toBe(100);
  clock.now = 60;
  expect(take(one)).toBe(40);
  expect(take(other)).toBe(100);
  expect(take(one)).toBe(40);
  expect(() => take(one)).toThrow('more than 3 calls');
  clock.now = 160;
  expect(() => take(other)).toThrow('used up its time');
});

test('a deadline leaves nothing behind', async () => {
  const parent = new AbortController();
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();
  {
    using limit = deadline(60_000, parent.signal);
    expect(timers()).toBe(before + 1);
    expect(limit.signal.aborted).toBe(false);
  }
  expect(timers()).toBe(before);
  using late = deadline(60_000, AbortSignal.abort('why'));
  expect(late.signal.reason).toBe('why');
  using short = deadline(1, parent.signal);
  await new Promise((resolve) => short.signal.addEventListener('abort', resolve));
  expect(short.signal.reason).toMatchObject({ name: 'TimeoutError' });
});
