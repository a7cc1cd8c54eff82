/** Readiness: whoever asks, and however often, one probe is in flight, and one a second is begun. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { sharedCheck } from '../src/kernel/lib/shared-check.ts';

function startTest() {
  const clock = { now: 0 };
  const begun: PromiseWithResolvers<void>[] = [];
  const check = sharedCheck(
    () => {
      const probe = Promise.withResolvers<void>();
      begun.push(probe);
      return probe.promise;
    },
    () => clock.now,
  );
  return { clock, begun, check };
}

test('a probe that hangs stays the only one, and fails whoever asks until it has ended', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { clock, begun, check } = startTest();
  const waiting = [check(), check()].map((asked) => expect(asked).rejects.toThrow('took too long'));
  await vi.advanceTimersByTimeAsync(8_000);
  await Promise.all(waiting);
  clock.now = 60_000;
  await expect(check()).rejects.toThrow('took too long');
  expect(begun).toHaveLength(1);
  begun[0]?.resolve();
  await begun[0]?.promise;
  clock.now = 61_000;
  const next = check();
  begun[1]?.resolve();
  await next;
});

test.each(['success', 'failure'] as const)('a %s is kept for a second from its end', async (result) => {
  const { clock, begun, check } = startTest();
  const first = check();
  clock.now = 5_000;
  if (result === 'success') begun[0]?.resolve();
  else begun[0]?.reject(new Error('away'));
  const outcome = await first.then(
    () => 'success',
    () => 'failure',
  );
  expect(outcome).toBe(result);
  clock.now = 5_999;
  expect(
    await check().then(
      () => 'success',
      () => 'failure',
    ),
  ).toBe(result);
  expect(begun).toHaveLength(1);
  clock.now = 6_000;
  const second = check();
  expect(begun).toHaveLength(2);
  begun[1]?.resolve();
  await second;
});
