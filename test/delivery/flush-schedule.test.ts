import { expect, it } from 'vitest';
import { FlushSchedule } from '../../src/delivery/flush-schedule.ts';

interface Timer {
  readonly at: number;
}

/** A schedule whose timers never fire, and whose flushes end when the test says so. */
function startSchedule() {
  const ends: (() => void)[] = [];
  const timers = new Set<Timer>();
  const started = {
    now: 0,
    /** Flushes that have begun. */
    begun: 0,
    timers: () => [...timers].map(({ at }) => at),
    async endFlush() {
      ends.shift()?.();
      await settled();
    },
  };
  const schedule = new FlushSchedule({
    flush() {
      started.begun += 1;
      return new Promise((resolve) => void ends.push(resolve));
    },
    onError(error) {
      throw error;
    },
    onFlushed: () => {},
    after(ms) {
      const timer: Timer = { at: started.now + ms };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    clock: () => started.now,
    pollMs: 1_000,
  });
  return Object.assign(started, { schedule });
}

/** Resolves when all promises have run. */
const settled = () => new Promise((resolve) => void setImmediate(resolve));

it('a flush that is asked for now does not wait for a timer that is overdue', async () => {
  const started = startSchedule();
  await settled();
  await started.endFlush();
  expect([started.begun, started.timers()]).toEqual([1, [1_000]]);
  started.now = 1_001;
  started.schedule.within(0);
  await settled();
  expect([started.begun, started.timers()]).toEqual([2, []]);
});

it('one flush serves all that ask for one in the same moment, or while a sooner one is scheduled', async () => {
  const started = startSchedule();
  await settled();
  await started.endFlush();
  started.schedule.within(10);
  started.schedule.within(20);
  expect(started.timers()).toEqual([10]);
  for (const ms of [0, 0, 10]) started.schedule.within(ms);
  await settled();
  expect([started.begun, started.timers()]).toEqual([2, []]);
});

it('what is asked for during a flush follows it at once, unless flushes are postponed', async () => {
  const started = startSchedule();
  await settled();
  started.schedule.within(0);
  await started.endFlush();
  expect(started.begun).toBe(2);
  started.schedule.within(0);
  started.schedule.postpone(500);
  await started.endFlush();
  expect([started.begun, started.timers()]).toEqual([2, [500]]);
});

it('nothing follows a stop', async () => {
  const started = startSchedule();
  await settled();
  started.schedule.stop();
  started.schedule.within(0);
  await started.endFlush();
  expect([started.begun, started.timers()]).toEqual([1, []]);
});
