import { expect, test } from 'vitest';
import { parseRetryAfter } from '../src/kernel/lib/http-semantics.ts';

const now = Date.parse('2026-11-20T12:00:00.000Z');

test.each([
  ['7', 7_000],
  [' 7 ', 7_000],
  ['0', 0],
  ['Fri, 20 Nov 2026 12:01:00 GMT', 60_000],
  ['Fri, 20 Nov 2026 11:00:00 GMT', 0],
  // The obsolete formats of a date.
  ['Friday, 20-Nov-26 12:01:00 GMT', 60_000],
  ['Fri Nov 20 12:01:00 2026', 60_000],
  ['Sun Nov  6 08:49:37 1994', 0],
  ['-1', null],
  ['1.5', null],
  ['soon', null],
  ['', null],
  ['2026-11-20', null],
  ['2026-11-20T12:01:00Z', null],
  ['Fri, 99 Nov 2026 12:01:00 GMT', null],
  ['99999999999', null],
  [null, null],
  [undefined, null],
])('Retry-After: %s', (value, expected) => {
  expect(parseRetryAfter(value, now)).toBe(expected);
});
