/** Numbers are read as JSON.parse reads them, and printed as JSON.stringify prints them. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splicedLeaf, textsOf } from '../support/splice.ts';

/** What is printed of a text that stands where a number may. */
function printed(text: string) {
  try {
    const value = JSON.parse(text);
    return Number.isFinite(value) ? JSON.stringify(value) : { refused: 'not_expected' };
  } catch {
    return { refused: 'not_json' };
  }
}

test('every text of up to four of their characters, and words that are none, selected or not', () => {
  const words = ['0123456789', '0x10', '1_000', 'NaN', 'Infinity', '-Infinity', '1 2', '1a', '٣', '1e5.5'];
  for (const text of [...textsOf(['0', '1', '-', '+', '.', 'e'], 4), ...words]) {
    const wanted = printed(text);
    for (const ending of [',"w":1}', ' }']) expect(splicedLeaf('number', `{"v":${text}${ending}`)).toEqual(wanted);
    const isNumber = typeof wanted === 'string';
    expect(splicedLeaf('number', `{"v":1,"skipped":[${text},{"x":${text}}]}`)).toEqual(isNumber ? '1' : wanted);
  }
});

test('any number, unless it is beyond all doubles', () => {
  const any = fc.stringMatching(/^-?(0|[1-9]\d{0,18})(\.\d{1,18})?(e[+-]?\d{1,3})?$/);
  // Of 15 digits at most and without an exponent: these are copied.
  const short = fc
    .tuple(fc.integer({ min: -999_999_999, max: 999_999_999 }), fc.nat(12))
    .map(([digits, places]) => String(digits / 10 ** places));
  const odd = fc.constantFrom('-0', '1.50', '0.00000099', '0.000001', `1${'0'.repeat(40)}`, '9007199254740993');
  fc.assert(
    fc.property(fc.oneof(any, short, odd), (text) => {
      expect(splicedLeaf('number', `{"v":${text}}`)).toEqual(printed(text));
      expect(splicedLeaf('number', `{"v":1,"skipped":[${text},{"x":${text}}]}`)).toBe('1');
    }),
    { numRuns: 3_000 },
  );
});
