/** Numbers are printed as JSON.stringify prints them: most of them as they stand. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scans, splicedLeaf } from '../support/splice.ts';

const plain = [
  ...['0', '1', '9', '10', '-1', '42', '999999999', '1234567890', '123456789012345', '-999999999999999'],
  ...['0.5', '-0.5', '10.5', '0.1', '0.000001', '-0.000001', '0.00000123456789012345', '3.141592653589'],
  ...['12345678901234.5', '0.123456789012345', '100000000000.001', '5.1', '99999999999999.9'],
];

/** Valid, but not what JSON.stringify prints, or too long for the kernel to tell. */
const odd = [
  ...['-0', '0.0', '-0.0', '1.0', '1.50', '100.000', '1e5', '1E5', '1e+5', '1e-5', '-1.5E10', '0e0', '1.5e400'],
  ...['0.0000001', '0.00000099', '1234567890123456', '12345678901234567890', '0.1234567890123456'],
  ...['123456789.0123456', '9007199254740993', '-1234567890123456', `1${'0'.repeat(40)}`, `0.${'1'.repeat(40)}`],
];

const wrong = [
  ...['-', '+1', '01', '-01', '00', '0123456789', '1.', '.5', '-.5', '1.e5', '1e', '1e+', '1e-', '1ee5', '1e5.5'],
  ...['0x10', '1_000', 'NaN', 'Infinity', '-Infinity', '1 2', '--1', '1-', '1.2.3', '0-', '1a', '٣'],
];

const endings = [',"w":1}', '}', ' }', '\n,"w":{}}'];

test.each(plain)('%s is printed', (number) => {
  expect(JSON.stringify(Number(number))).toBe(number);
  for (const ending of endings) expect(splicedLeaf('number', `{"v":${number}${ending}`)).toBe(number);
});

test.each(odd)('%s is printed as JSON.stringify prints it', (number) => {
  const wanted = Number.isFinite(Number(number)) ? JSON.stringify(Number(number)) : { refused: 'not_expected' };
  for (const ending of endings) {
    expect(splicedLeaf('number', `{"v":${number}${ending}`)).toEqual(wanted);
    expect(splicedLeaf('number', `{"v":1,"skipped":[${number},{"x":${number}${ending}]}`)).toBe('1');
  }
});

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

  test('is printed as JSON.stringify prints it, unless it is beyond all doubles', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^-?(0|[1-9]\d{0,18})(\.\d{1,18})?(e[+-]?\d{1,3})?$/), (text) => {
        const value = Number(text);
        const wanted = Number.isFinite(value) ? JSON.stringify(value) : { refused: 'not_expected' };
        expect(splicedLeaf('number', `{"v":${text}}`)).toEqual(wanted);
      }),
      { numRuns: 2_000 },
    );
  });
});
