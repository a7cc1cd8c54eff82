import { expect, test } from 'vitest';
import {
  hasFewEntries,
  isShallow,
  maxJsonDepth,
  maxJsonEntries,
  maxJsonFields,
  requireFewFields,
} from '../src/kernel/lib/json-text.ts';

test('fields are counted at any depth, and nothing else is', () => {
  const fields = (count: number) => Array.from({ length: count }, (_, n) => `"k${n}": 1`).join();
  expect(() => requireFewFields(`{${fields(maxJsonFields)}}`)).not.toThrow();
  expect(() => requireFewFields(`{${fields(maxJsonFields + 1)}}`)).toThrow('at most 20000 fields');
  const half = fields(maxJsonFields / 2);
  expect(() => requireFewFields(`[{${half}}, [{${half}}]]`)).not.toThrow();
  expect(() => requireFewFields(`[{${half}}, {"a": {${half}}}]`)).toThrow('fields');
  expect(() => requireFewFields(JSON.stringify([':'.repeat(30_000), `"${':'.repeat(30_000)}\\`]))).not.toThrow();
});

test('text that is no JSON is read to its end', () => {
  for (const text of ['"', '"\\', '{"a', '', '\\"']) expect(() => requireFewFields(text)).not.toThrow();
});

test('levels are those of lists and objects', () => {
  const nested = (levels: number, inner: unknown = []): unknown =>
    levels === 1 ? inner : { a: nested(levels - 1, inner) };
  expect(isShallow(7)).toBe(true);
  for (const inner of [[], {}, [1], { a: null }]) {
    expect(isShallow(nested(maxJsonDepth, inner))).toBe(true);
    expect(isShallow(nested(maxJsonDepth + 1, inner))).toBe(false);
  }
});

test('entries are counted in all lists together, and none of a list that is too long is read', () => {
  const list = (length: number) => new Array<unknown>(length).fill(null);
  expect(hasFewEntries({ a: list(maxJsonEntries) })).toBe(true);
  expect(hasFewEntries({ a: list(maxJsonEntries / 2), b: [{ c: list(maxJsonEntries / 2 - 1) }] })).toBe(true);
  expect(hasFewEntries({ a: list(maxJsonEntries / 2), b: [{ c: list(maxJsonEntries / 2) }] })).toBe(false);
  const read: PropertyKey[] = [];
  const long = new Proxy(list(maxJsonEntries + 1), {
    get(entries, name) {
      read.push(name);
      return Reflect.get(entries, name);
    },
  });
  expect(hasFewEntries({ a: { b: long } })).toBe(false);
  expect(read).toEqual(['length']);
  expect(hasFewEntries(7)).toBe(true);
});
