/** Invalidations that fail, in every order: whatever changed after the last success is pending. */
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createInvalidationBroadcaster } from '../../src/cache/redis-store.ts';

const tenant = 't';

/** A broadcaster whose sends end as the test says, in any order. */
function held() {
  const sends: PromiseWithResolvers<void>[] = [];
  const errors: unknown[] = [];
  const broadcaster = createInvalidationBroadcaster(
    () => {
      const send = Promise.withResolvers<void>();
      sends.push(send);
      return send.promise;
    },
    (error) => errors.push(error),
  );
  return {
    ...broadcaster,
    sends,
    errors,
    async end(send: number, outcome: 'succeeds' | 'fails') {
      if (outcome === 'succeeds') sends[send]?.resolve();
      else sends[send]?.reject(new Error('Nobody was reached'));
      await new Promise(setImmediate);
    },
  };
}

test('an older one that succeeds does not complete a newer one that fails', async () => {
  const { broadcast, hasPending, retryPending, end, sends, close } = held();
  onTestFinished(close);
  void broadcast(tenant);
  void broadcast(tenant);
  await end(0, 'succeeds');
  expect(hasPending(tenant)).toBe(true);
  await end(1, 'fails');
  expect(hasPending(tenant)).toBe(true);
  retryPending();
  expect(sends).toHaveLength(3);
  await end(2, 'succeeds');
  expect(hasPending(tenant)).toBe(false);
});

test('one that fails is sent again after a second, until it succeeds', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { broadcast, hasPending, end, sends, errors } = held();
  void broadcast(tenant);
  await end(0, 'fails');
  vi.advanceTimersByTime(999);
  expect(sends).toHaveLength(1);
  vi.advanceTimersByTime(1);
  expect(sends).toHaveLength(2);
  await end(1, 'fails');
  vi.advanceTimersByTime(1_000);
  expect(sends).toHaveLength(3);
  await end(2, 'succeeds');
  expect(hasPending(tenant)).toBe(false);
  expect(errors).toHaveLength(2);
});

test('it is pending until a send that began at or after the newest broadcast succeeds, in whatever order they end', async () => {
  const outcome = fc.constantFrom('succeeds', 'fails');
  const ends = fc
    .integer({ min: 1, max: 6 })
    .chain((count) =>
      fc.tuple(
        fc.shuffledSubarray([...Array(count).keys()], { minLength: count }),
        fc.array(outcome, { minLength: count, maxLength: count }),
      ),
    );
  await fc.assert(
    fc.asyncProperty(ends, async ([order, outcomes]) => {
      const { broadcast, hasPending, end, close } = held();
      for (const _ of order) void broadcast(tenant);
      let isSent = false;
      for (const send of order) {
        await end(send, outcomes[send] as 'succeeds' | 'fails');
        isSent ||= send === order.length - 1 && outcomes[send] === 'succeeds';
        expect(hasPending(tenant)).toBe(!isSent);
      }
      close();
    }),
  );
});
