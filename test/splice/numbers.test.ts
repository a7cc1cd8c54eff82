/** Numbers are printed as JSON.stringify prints them: most of them as they stand. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scans, splicedLeaf } from '../support/splice.ts';

const wrong = [
  ...['-', '+1', '01', '-01', '00', '0123456789', '1.', '.5', '-.5', '1.e5', '1e', '1e+', '1e-', '1ee5', '1e5.5'],
  ...['0x10', '1_000', 'NaN', 'Infinity', '-Infinity', '1 2', '--1', '1-', '1.2.3', '0-', '1a', '٣'],
];

const endings = [',"w":1}', '}', ' }', '\n,"w":{}}'];

test.each(wrong)('%s is no JSON, selected or not', (number) => {
  for (const ending of endings) {
    expect(scans({ v: 'leaf' }, `{"v":${number}${ending}`)).toBe('not_json');
    expect(scans({ v: 'leaf' }, `{"skipped":${number}${ending}`)).toBe('not_json');
    expect(scans({ v: 'leaf' }, `{"skipped":{"x":${number}${ending}}`)).toBe('not_json');
  }
  expect(scans({ v: 'leaf' }, `{"skipped":[${number}]}`)).toBe('not_json');
});

describe('any number', () => {
  test('that JSON.stringify prints with 15 digits at most and without an exponent is printed', () => {
    const decimals = fc
      .tuple(fc.integer({ min: -999_999_999, max: 999_999_999 }), fc.integer({ min: 0, max: 12 }))
      .map(([digits, places]) => String(digits / 10 ** places))
      .filter((text) => !text.includes('e') && text.replace(/^-?0?\.?0*|\./g, '').length <= 15);
    fc.assert(
      fc.property(decimals, (text) => {
        expect(splicedLeaf('number', `{"v":${text}}`)).toBe(text);
      }),
      { numRuns: 2_000 },
    );
  });

  const any = fc.stringMatching(/^-?(0|[1-9]\d{0,18})(\.\d{1,18})?(e[+-]?\d{1,3})?$/);
  test('is printed as JSON.stringify prints it, unless it is beyond all doubles', () => {
    fc.assert(
      fc.property(
        fc.oneof(any, fc.constantFrom('-0', '1.50', '0.00000099', '0.000001', `1${'0'.repeat(40)}`)),
        (text) => {
          const value = Number(text);
          const wanted = Number.isFinite(value) ? JSON.stringify(value) : { refused: 'not_expected' };
          expect(splicedLeaf('number', `{"v":${text}}`)).toEqual(wanted);
          expect(splicedLeaf('number', `{"v":1,"skipped":[${text},{"x":${text}}]}`)).toBe('1');
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
