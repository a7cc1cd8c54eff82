/** How many deliveries are claimed for each destination. */
import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { allocateFairly, type ClaimQuota, createRoomTaker, type Room } from '../../src/delivery/claim-quota.ts';

const bytes: Room = { total: 1_000, perDestination: new Map(), default: 100 };
const quota: ClaimQuota = { total: 100, perDestination: new Map(), default: 8, bytes, cursor: '' };

test.each<[string, string[], Partial<ClaimQuota>, ReturnType<typeof allocateFairly>]>([
  ['nothing is due', [], {}, []],
  [
    'there is room for all',
    ['b', 'a'],
    {},
    [
      ['b', 8],
      ['a', 8],
    ],
  ],
  [
    'one has more room',
    ['a', 'b'],
    { perDestination: new Map([['a', 64]]) },
    [
      ['a', 50],
      ['b', 8],
    ],
  ],
  [
    'one has none',
    ['a', 'b'],
    {
      perDestination: new Map([
        ['b', 0],
        ['a', 200],
      ]),
    },
    [['a', 100]],
  ],
  ['one has more requests in flight than its limit', ['a', 'b'], { perDestination: new Map([['a', -3]]) }, [['b', 8]]],
  [
    'one has no room for bytes',
    ['a', 'b'],
    { total: 1, bytes: { ...bytes, perDestination: new Map([['a', 0]]) } },
    [['b', 1]],
  ],
  [
    'the quota is smaller than the number of destinations',
    ['a', 'b', 'c'],
    { total: 2 },
    [
      ['a', 1],
      ['b', 1],
    ],
  ],
])('%s', (_, due, change, shares) => {
  expect(allocateFairly(due, { ...quota, ...change })).toEqual(shares);
});

it('shares stay within the quota, and leave no destination out while some of it is left', () => {
  const ids = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 3 }));
  fc.assert(
    fc.property(ids, fc.nat(50), fc.nat(9), fc.string(), fc.array(fc.integer({ min: -3, max: 20 })), (due, ...rest) => {
      const [total, room, cursor, some] = rest;
      const perDestination = new Map(some.map((own, index) => [due[index] ?? `not due ${index}`, own]));
      const shares = new Map(allocateFairly(due, { total, perDestination, default: room, bytes, cursor }));
      const roomOf = (id: string) => Math.max(0, perDestination.get(id) ?? room);
      for (const [id, count] of shares) expect(count).toBeLessThanOrEqual(roomOf(id));
      const sum = (counts: Iterable<number>) => [...counts].reduce((all, count) => all + count, 0);
      expect(sum(shares.values())).toBeLessThanOrEqual(total);
      if (sum(shares.values()) < total) for (const id of due) if (roomOf(id) > 0) expect(shares.has(id)).toBe(true);
    }),
  );
});

it('a delivery fits while any bytes are left, in total and for its destination', () => {
  const room = createRoomTaker({ total: 25, perDestination: new Map([['b', 0]]), default: 10 });
  const takes = (id: string, size: number) => room.take(id, size);
  expect([takes('a', 9), takes('a', 9), takes('a', 1)]).toEqual([true, true, false]);
  expect([takes('b', 1), takes('c', 100), takes('d', 0)]).toEqual([false, true, false]);
});
