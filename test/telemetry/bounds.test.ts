import { expect, test } from 'vitest';
import { boundedLines, boundedNames } from '../../src/telemetry/bounds.ts';

test('the first names are let through, and all others are one', () => {
  const nameOf = boundedNames(2);
  expect(['a', 'b', 'c', 'a', 'd', 'b'].map(nameOf)).toEqual(['a', 'b', 'other', 'a', 'other', 'b']);
});

test('lines beyond the bound of a minute are left out, and the next line says how many', () => {
  let now = 0;
  const mayWrite = boundedLines(2, () => now);
  expect([mayWrite(), mayWrite(), mayWrite(), mayWrite()]).toEqual([{}, {}, null, null]);
  now = 59_999;
  expect(mayWrite()).toBeNull();
  now = 60_000;
  expect([mayWrite(), mayWrite()]).toEqual([{ leftOut: 3 }, {}]);
  now = 0;
  expect(mayWrite()).toEqual({});
});
