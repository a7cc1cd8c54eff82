import { expect, onTestFinished, test, vi } from 'vitest';
import {
  isShallow,
  maxJsonDepth,
  maxJsonEntries,
  maxJsonFields,
  parseJson,
  requireReasonable,
} from '../src/kernel/lib/json-text.ts';

test('fields are counted at any depth, and nothing else is', () => {
  const fields = (count: number) => Array.from({ length: count }, (_, n) => `"k${n}": 1`).join();
  expect(() => requireReasonable(`{${fields(maxJsonFields)}}`, 'The body')).not.toThrow();
  expect(() => requireReasonable(`{${fields(maxJsonFields + 1)}}`, 'The body')).toThrow('at most 20000 fields');
  const half = fields(maxJsonFields / 2);
  expect(() => requireReasonable(`[{${half}}, [{${half}}]]`, 'The body')).not.toThrow();
  expect(() => requireReasonable(`[{${half}}, {"a": {${half}}}]`, 'The body')).toThrow('fields');
  expect(() =>
    requireReasonable(JSON.stringify([':'.repeat(30_000), `"${':'.repeat(30_000)}\\`]), 'The body'),
  ).not.toThrow();
});

test('text that is no JSON is read to its end', () => {
  for (const text of ['"', '"\\', '{"a', '', '\\"']) expect(() => requireReasonable(text, 'The body')).not.toThrow();
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

test('entries are counted in all lists together', () => {
  const list = (length: number, entry = '12') => `[${Array.from({ length }, () => entry).join()}]`;
  const read = (text: string) => () => requireReasonable(text, 'The body', maxJsonEntries);
  expect(read(`{"a":${list(maxJsonEntries)}}`)).not.toThrow();
  expect(read(`{"a":${list(maxJsonEntries + 1)}}`)).toThrow('at most 10000 entries');
  expect(read(`{"a":${list(5_000)},"b":[{"c":${list(4_999)}}]}`)).not.toThrow();
  expect(read(`{"a":${list(5_000)},"b":[{"c":${list(5_000)}}]}`)).toThrow('entries');
  // Commas of objects and of texts are none of lists.
  expect(
    read(`[${JSON.stringify(','.repeat(30_000))},{${Array.from({ length: 10_000 }, (_, n) => `"${n}":1`)}}]`),
  ).not.toThrow();
  expect(() => requireReasonable(list(maxJsonEntries + 1), 'The body')).not.toThrow();
});

test.each(['[', '{"a":', '[[],', '[{"a":[],"b":'])('levels of a text are counted ahead of the parser: %s', (part) => {
  const parsing = vi.spyOn(JSON, 'parse');
  onTestFinished(() => parsing.mockRestore());
  expect(() => parseJson(part.repeat(20_000))).toThrow('more than 64 levels');
  expect(parsing).not.toHaveBeenCalled();
  const flat = `[${'[],'.repeat(9_000)}"${'['.repeat(20_000)}"]`;
  expect(() => requireReasonable(flat, 'The body')).not.toThrow();
});
