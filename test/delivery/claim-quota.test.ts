/** How many deliveries are claimed for each destination. */
import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { allocateFairly, type ClaimQuota, createRoomTaker } from '../../src/delivery/claim-quota.ts';
import type { Standing } from '../../src/delivery/standing.ts';
import { quotaFor, roomFor } from '../support/claim-room.ts';

const quota: ClaimQuota = quotaFor(100, 1_000, 8);
const { bytes } = quota;
const due = (ids: readonly string[], failing: readonly string[] = []) =>
  ids.map((id) => ({ id, failing: failing.includes(id) }));

test.each<[string, string[], Partial<ClaimQuota>, ReturnType<typeof allocateFairly>['shares']]>([
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
  [
    'those that are unknown leave room to one that is quick',
    ['a', 'b', 'quick', 'c'],
    { total: 8, parts: { notQuick: 2, slow: 1 }, standings: new Map<string, Standing>([['quick', 'quick']]) },
    [
      ['a', 2],
      ['quick', 6],
    ],
  ],
  [
    'those that are slow leave room to one that is unknown',
    ['a', 'b', 'c'],
    {
      total: 8,
      parts: { notQuick: 4, slow: 1 },
      standings: new Map<string, Standing>([
        ['a', 'slow'],
        ['b', 'slow'],
      ]),
    },
    [
      ['a', 1],
      ['c', 3],
    ],
  ],
])('%s', (_, ids, change, shares) => {
  expect(allocateFairly(due(ids), { ...quota, ...change }).shares).toEqual(shares);
});

it('shares stay within the quota, and leave no destination out while some of it is left', () => {
  const ids = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 3 }));
  fc.assert(
    fc.property(
      ids,
      fc.nat(50),
      fc.nat(9),
      fc.string(),
      fc.array(fc.integer({ min: -3, max: 20 })),
      (list, ...rest) => {
        const [total, room, cursor, some] = rest;
        const perDestination = new Map(some.map((own, index) => [list[index] ?? `not due ${index}`, own]));
        const shares = new Map(
          allocateFairly(due(list), { ...quotaFor(total, 1_000, room), perDestination, cursor }).shares,
        );
        const roomOf = (id: string) => Math.max(0, perDestination.get(id) ?? room);
        for (const [id, count] of shares) expect(count).toBeLessThanOrEqual(roomOf(id));
        const sum = (counts: Iterable<number>) => [...counts].reduce((all, count) => all + count, 0);
        expect(sum(shares.values())).toBeLessThanOrEqual(total);
        if (sum(shares.values()) < total) for (const id of list) if (roomOf(id) > 0) expect(shares.has(id)).toBe(true);
      },
    ),
  );
});

it('a delivery fits while any bytes are left, in total and for its destination', () => {
  const room = createRoomTaker({ ...roomFor(25, 10), perDestination: new Map([['b', 0]]) }, () => 'quick');
  const takes = (id: string, size: number) => room.take(id, size);
  expect([takes('a', 9), takes('a', 9), takes('a', 1)]).toEqual([true, true, false]);
  expect([takes('b', 1), takes('c', 100), takes('d', 0)]).toEqual([false, true, false]);
});

it('bytes of those that are slow, and of those that are not quick, leave room to the others', () => {
  const standings: Record<string, Standing> = { a: 'slow', b: 'slow', c: 'young', d: 'young', e: 'quick' };
  const room = createRoomTaker(
    { ...roomFor(100), parts: { notQuick: 20, slow: 10 } },
    (id) => standings[id] ?? 'young',
  );
  const taken = ['a', 'b', 'c', 'd', 'e'].filter((id) => room.take(id, 10));
  expect(taken).toEqual(['a', 'c', 'e']);
});

it('one that has been failing is slow until it has a lane that says more', () => {
  const parts = { notQuick: 100, slow: 0 };
  expect(allocateFairly(due(['a', 'b'], ['a']), { ...quota, parts }).shares).toEqual([['b', 8]]);
  const standings = new Map<string, Standing>([['a', 'quick']]);
  expect(allocateFairly(due(['a'], ['a']), { ...quota, parts, standings }).shares).toEqual([['a', 8]]);
});

test.each<[string, Partial<ClaimQuota>, { waiting: number; isServed: boolean }]>([
  ['all get some', {}, { waiting: 0, isServed: true }],
  ['there is too little for all', { total: 2 }, { waiting: 0, isServed: false }],
  ['only slow ones get none', { parts: { notQuick: 10, slow: 0 } }, { waiting: 0, isServed: true }],
  ['unknown ones get none', { parts: { notQuick: 1, slow: 0 } }, { waiting: 1, isServed: false }],
  [
    'unknown ones get none for want of bytes',
    { bytes: { ...bytes, parts: { notQuick: 0, slow: 0 } } },
    { waiting: 2, isServed: false },
  ],
  [
    'an unknown one has what it can have',
    { parts: { notQuick: 1, slow: 0 }, perDestination: new Map([['b', 0]]) },
    { waiting: 0, isServed: true },
  ],
])('those that wait are counted when %s', (_, change, expected) => {
  expect(allocateFairly(due(['a', 'b', 'c'], ['c']), { ...quota, ...change })).toMatchObject(expected);
});
