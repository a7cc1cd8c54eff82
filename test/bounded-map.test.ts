import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BoundedMap } from '../src/bounded-map.ts';

test('keeps as many entries as fit, and drops the least recently used', () => {
  const map = new BoundedMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  expect(map.get('a')).toBe(1);
  map.set('c', 3);
  expect(['a', 'b', 'c'].map((key) => map.get(key))).toEqual([1, undefined, 3]);
});

test('setting a key again replaces its value, and drops nothing', () => {
  const map = new BoundedMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  map.set('a', 3);
  expect([map.get('a'), map.get('b')]).toEqual([3, 2]);
});

test('keeps the `size` most recently used distinct keys', () => {
  const keys = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), keys, (size, used) => {
      const map = new BoundedMap<string, string>(size);
      for (const key of used) if (map.get(key) === undefined) map.set(key, key);
      const expected = [...new Set(used.toReversed())].slice(0, size);
      const kept = ['a', 'b', 'c', 'd', 'e'].filter((key) => map.get(key) !== undefined);
      expect(kept).toEqual(expected.toSorted());
    }),
  );
});
