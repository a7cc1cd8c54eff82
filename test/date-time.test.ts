/** Which texts stand for a time. */
import { expect, test } from 'vitest';
import { dateTimeOf, firstMillisecondFrom } from '../src/kernel/date-time.ts';
import { oddTimes } from './support/odd-times.ts';

test.each(oddTimes)('%j is %j', (sent, told) => {
  expect(dateTimeOf(sent) ?? null).toBe(told);
  if (told === null) return;
  // What is told is told again, and its time is one that every client can read.
  expect(dateTimeOf(told)).toBe(told);
  expect(Date.parse(told)).not.toBeNaN();
});

test('a text in the form of ECMAScript stands for the time that ECMAScript says', () => {
  for (let time = Date.UTC(1999, 11, 30); time < Date.UTC(2029, 1, 1); time += 12_345_678_901) {
    const text = new Date(time).toISOString();
    expect(dateTimeOf(text)).toBe(text);
    for (const offset of ['+23:59', '-23:59', '+00:30', '-12:00', '+14:00']) {
      const shifted = text.replace('Z', offset);
      expect(dateTimeOf(shifted)).toBe(new Date(shifted).toISOString());
    }
  }
});

test('a text that is long and stands for no time is read at once', () => {
  const started = performance.now();
  for (const text of ['1'.repeat(1e6), `2026-11-16T08:25:00.${'1'.repeat(1e6)}`, ' '.repeat(1e6)]) {
    expect(dateTimeOf(text)).toBeUndefined();
  }
  expect(performance.now() - started).toBeLessThan(2_000);
});

test('the first millisecond from a time is not before it', () => {
  expect(firstMillisecondFrom('1970-01-01T00:00:00.007Z')).toBe(7);
  expect(firstMillisecondFrom('1970-01-01T00:00:00.007000Z')).toBe(7);
  expect(firstMillisecondFrom('1970-01-01T00:00:00.0070001Z')).toBe(8);
  expect(firstMillisecondFrom('1970-01-01T00:00:00.9Z')).toBe(900);
});
