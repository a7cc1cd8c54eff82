import { pino } from 'pino';
import { expect, test } from 'vitest';
import { Deadline } from '../../src/kernel/lib/abort-signal.ts';
import { createCallSlots } from '../../src/upstream/call-slots.ts';
import type { PreparedCall } from '../../src/upstream/exchange.ts';
import { createResilientCall } from '../../src/upstream/resilient-call.ts';

const never = new AbortController().signal;
const settled = () => new Promise(setImmediate);

test('one caller has three quarters of the slots at most', () => {
  const slots = createCallSlots(8);
  const take = (keyId: string) => slots.tryTake(keyId) !== null;
  expect(Array.from({ length: 8 }, () => take('a'))).toEqual([...Array(6).fill(true), false, false]);
  expect([take('b'), take('b'), take('b')]).toEqual([true, true, false]);
});

test.each([2, 3, 4, 5])('of %i slots one caller leaves one to others', (count) => {
  const slots = createCallSlots(count);
  for (let at = 1; at < count; at += 1) slots.tryTake('a');
  expect(slots.tryTake('a')).toBeNull();
  expect(slots.tryTake('b')).not.toBeNull();
});

test('callers that wait take turns, each in its own order', async () => {
  const slots = createCallSlots(1);
  const release = slots.tryTake('a');
  const order: string[] = [];
  for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) {
    void slots.wait(name.slice(0, 1), never).then((next) => {
      order.push(name);
      setImmediate(() => next?.());
    });
  }
  await settled();
  expect(order).toEqual([]);
  release?.();
  await expect.poll(() => order.length).toBe(6);
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  await settled();
  // All were given back.
  expect(slots.tryTake('d')).not.toBeNull();
});

test('a wait ends with its signal, and takes no slot', async () => {
  const slots = createCallSlots(1);
  const release = slots.tryTake('a');
  const gone = new AbortController();
  const waits = [slots.wait('b', gone.signal), slots.wait('c', never)];
  gone.abort();
  expect(await waits[0]).toBeNull();
  expect(await slots.wait('b', gone.signal)).toBeNull();
  release?.();
  expect(await waits[1]).not.toBeNull();
});

test('a caller that has its share waits for its own slots, and others do not wait behind it', async () => {
  const slots = createCallSlots(4);
  const releases = Array.from({ length: 3 }, () => slots.tryTake('a'));
  let entered = false;
  void slots.wait('a', never).then(() => {
    entered = true;
  });
  const other = slots.tryTake('b');
  other?.();
  await settled();
  expect(entered).toBe(false);
  releases[0]?.();
  await settled();
  expect(entered).toBe(true);
});

test('when the queue of one caller is full, others can still wait', async () => {
  const slots = createCallSlots(1);
  slots.tryTake('a');
  for (let n = 0; n < 32; n += 1) void slots.wait('a', never);
  expect(await slots.wait('a', never)).toBeNull();
  const other = slots.wait('b', never);
  expect(await Promise.race([other, settled().then(() => 'waits')])).toBe('waits');
});

test('a call whose time is up when its turn comes is not sent, though the timer has not fired yet', async () => {
  let time = 0;
  const sent: string[] = [];
  const first = Promise.withResolvers<never>();
  const call = createResilientCall({
    send: ({ path }) => {
      sent.push(path);
      return first.promise;
    },
    connections: 1,
    logger: pino({ level: 'silent' }),
    now: () => new Date(0),
    clock: () => time,
    random: () => 0,
  });
  using limit = new Deadline(60_000, null, 'too long');
  const to = (path: string) =>
    ({ path, endpoint: { method: 'POST' }, origin: { keyId: 'a' } }) as unknown as PreparedCall;
  const [holds, waits] = [call(to('/holds'), limit, 1_000), call(to('/waits'), limit, 1_000)];
  const held = expect(holds).rejects.toThrow('broken');
  time = 1_001;
  first.reject(new Error('broken'));
  await held;
  await expect(waits).rejects.toMatchObject({
    errorName: 'request_timeout',
    outcomeUnknown: false,
    cause: { name: 'TimeoutError' },
  });
  expect(sent).toEqual(['/holds']);
});
