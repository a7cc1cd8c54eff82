import { expect, test } from 'vitest';
import { createKeyedLock } from '../../src/kernel/lib/keyed-lock.ts';
import { createPlaces, type LeavePlace, placeLimits } from '../../src/kernel/places.ts';

const never = () => new AbortController().signal;
const limits = placeLimits.embedded;

function opened() {
  const stopping = new AbortController();
  const places = createPlaces(limits, stopping.signal);
  const take = (caller: string, kind: 'query' | 'mutation' = 'query') => places.take(caller, kind, never);
  const fill = (caller: string) => Array.from({ length: limits.query }, () => take(caller)) as LeavePlace[];
  return { ...places, stop: () => stopping.abort(), takeOne: take, fill };
}

const stateOf = (place: unknown) =>
  Promise.race([
    Promise.resolve(place).then(() => 'taken'),
    new Promise((resolve) => setImmediate(resolve, 'waiting')),
  ]);

test('a caller without a free place waits for its own, in the order of arrival, and for nobody else', async () => {
  const { takeOne, fill } = opened();
  const [leave] = fill('a');
  const waiting = [takeOne('a'), takeOne('a')];
  expect(await Promise.all(waiting.map(stateOf))).toEqual(['waiting', 'waiting']);
  expect([takeOne('b'), takeOne('a', 'mutation')]).toEqual([expect.any(Function), expect.any(Function)]);
  leave?.();
  expect(await Promise.all(waiting.map(stateOf))).toEqual(['taken', 'waiting']);
});

test('who has gone waits no more, and leaves its place in the line to others', async () => {
  const { take, takeOne, fill } = opened();
  const [leave] = fill('a');
  const gone = new AbortController();
  const given = take('a', 'query', () => gone.signal);
  const next = takeOne('a');
  gone.abort();
  await expect(given).rejects.toMatchObject({ name: 'AbortError' });
  leave?.();
  expect(await stateOf(next)).toBe('taken');
});

test('who waits when the gateway stops is refused at once, and who would have to wait then', async () => {
  const { takeOne, fill, stop } = opened();
  fill('a');
  const waiting = [takeOne('a'), takeOne('a')];
  stop();
  const refusal = { status: 503, outcomeUnknown: false };
  for (const each of waiting) await expect(each).rejects.toMatchObject(refusal);
  expect(() => takeOne('a')).toThrow(expect.objectContaining(refusal));
  // Requests in flight are carried out.
  expect(takeOne('b')).toEqual(expect.any(Function));
});

test('who waits when there are more places has one before who comes then', async () => {
  let places = 1;
  const lock = createKeyedLock(undefined, () => places);
  await lock.acquire('a');
  const waiting = [lock.acquire('a'), lock.acquire('a')];
  places = 2;
  const last = lock.acquire('a');
  expect(await Promise.all([...waiting, last].map(stateOf))).toEqual(['taken', 'waiting', 'waiting']);
});
