/** A SmallMap does what a Map does, whatever the number of its keys. */
import { describe, expect, test } from 'vitest';
import { SmallMap } from '../src/kernel/lib/small-map.ts';

/** A string of its own each time, as those of requests are. */
const key = (n: number): string => JSON.stringify({ list: n });

describe.each([0, 1, 7, 8, 9, 40])('with %i keys', (count) => {
  const numbers = Array.from({ length: count }, (_, n) => n);

  function filled() {
    const small = new SmallMap<number>();
    const map = new Map<string, number>();
    for (const n of [...numbers, ...numbers.filter((n) => n % 3 === 0)]) {
      small.set(key(n), small.get(key(n)) ?? n);
      map.set(key(n), map.get(key(n)) ?? n);
    }
    return { small, map };
  }

  test('finds the value of each, and of no other', () => {
    const { small, map } = filled();
    for (let n = -1; n <= count; n += 1) {
      expect(small.get(key(n))).toBe(map.get(key(n)));
      expect(small.has(key(n))).toBe(map.has(key(n)));
    }
  });

  test('has them in the order of a Map', () => {
    const { small, map } = filled();
    expect(small.values()).toEqual([...map.values()]);
  });

  test('replaces a value in its place', () => {
    const { small, map } = filled();
    for (const n of [count - 1, 0]) {
      small.set(key(n), -n);
      map.set(key(n), -n);
    }
    expect(small.values()).toEqual([...map.values()]);
  });
});

test('keeps a value that is undefined', () => {
  const small = new SmallMap<undefined>();
  small.set('a', undefined);
  expect([small.has('a'), small.has('b')]).toEqual([true, false]);
});
