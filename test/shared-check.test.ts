/** Readiness: whoever asks, and however often, one probe is in flight, and one a second is begun. */
import { expect, test } from 'vitest';
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

test('a probe that hangs stays the only one, however long it takes', async () => {
  const { clock, begun, check } = startTest();
  const waiting = [check(), check()];
  clock.now = 60_000;
  waiting.push(check());
  expect(begun).toHaveLength(1);
  begun[0]?.resolve();
  await Promise.all(waiting);
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
