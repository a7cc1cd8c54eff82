/** Strings are printed as JSON.stringify prints what JSON.parse reads. */
import { describe, expect, test } from 'vitest';
import { splicedLeaf } from '../support/splice.ts';

const document = (text: string | Uint8Array): Buffer =>
  Buffer.concat([Buffer.from('{"before":"\\ud800é","v":"'), Buffer.from(text), Buffer.from('","after":"\\u0000"}')]);

const canonical = (text: string): string => JSON.stringify(JSON.parse(`"${text}"`).toWellFormed());

const characters = ['a', 'é', '€', '語', '😀', '\u007f', '\u2028', '\ufffd', '\uffff', '/', "'"];

test.each(characters)('%j is printed as it stands, wherever it stands in a block', (character) => {
  for (let before = 0; before < 34; before++) {
    for (const after of [0, 16]) {
      const text = `${'x'.repeat(before)}${character}${'y'.repeat(after)}`;
      expect(splicedLeaf('string', document(text))).toBe(`"${text}"`);
    }
  }
});

const escapes =
  String.raw`\" \\ \/ \b\f\n\r\t \u0041 \u0022\u005c\u002f \u0000\u001F\u007f\u0080 \u00e9\u07FF\u0800\uffff
  \u0008\u0009\u000a\u000b\u000c\u000D \ud83d\ude00 \uD83D\uDE00 \ud83d \ude00 \ude00\ud83d \ud83d\ud83d\ude00 \ud83d\u0041
  \ud83d\n \ud83dx \udbff\udfff\ud800\udc00 \ud83d\\ude00`.split(/\s+/);

test.each(escapes)('%s is printed as JSON.stringify prints it', (sequence) => {
  for (let before = 0; before < 34; before++) {
    for (const after of ['', 'é', sequence]) {
      const text = `${'x'.repeat(before)}${sequence}${after}`;
      expect(splicedLeaf('string', document(text))).toBe(canonical(text));
    }
  }
});

describe('what is no string of JSON is refused, selected or not', () => {
  const escaped = String.raw`\ \x \u \u12 \u123g \u12"4 \U0041`.split(' ');
  const wrong = [...escaped, '\\u 123', '\n', '\t', '\u0000', '\u001f'];

  test.each(wrong)('%j', (text) => {
    for (const before of ['', 'x'.repeat(15), 'x'.repeat(40), 'é', '\\n']) {
      expect(splicedLeaf('string', `{"v":"${before}${text}"}`)).toEqual({ refused: 'not_json' });
      expect(splicedLeaf('string', `{"v":"","w":"${before}${text}"}`)).toEqual({ refused: 'not_json' });
      expect(splicedLeaf('string', `{"v":"","w":{"${before}${text}":1}}`)).toEqual({ refused: 'not_json' });
      expect(splicedLeaf('string', `{"v":"","${before}${text}":1}`)).toEqual({ refused: 'not_json' });
    }
  });
});

describe('what is no UTF-8 is refused where it would be printed, and only there', () => {
  const wrong =
    `80 bf c080 c1bf c3 c328 e08080 e09fbf e282 e228ac eda080 edbfbf f0808080 f08fbfbf f09f98 f4908080 f5808080
    f888808080 ff c3a9a9`.split(/\s+/);

  test.each(wrong)('%s', (bytes) => {
    for (let before = 0; before < 34; before++) {
      for (const after of ['', 'é', '\\n']) {
        const text = Buffer.concat([Buffer.from('x'.repeat(before)), Buffer.from(bytes, 'hex'), Buffer.from(after)]);
        expect(splicedLeaf('string', document(text))).toEqual({ refused: 'not_expected' });
        const skipped = Buffer.concat([Buffer.from('{"w":"'), text, Buffer.from('","v":"é"}')]);
        expect(splicedLeaf('string', skipped)).toBe('"é"');
      }
    }
  });

  test('every character of two to four bytes at the borders of its kind is printed', () => {
    const points = [0x80, 0x7ff, 0x800, 0xfff, 0x1000, 0xcfff, 0xd000, 0xd7ff, 0xe000, 0xffff, 0x1_0000, 0x3_ffff];
    for (const point of [...points, 0x4_0000, 0xf_ffff, 0x10_0000, 0x10_ffff]) {
      const text = `x${String.fromCodePoint(point)}`.repeat(12);
      expect(splicedLeaf('string', document(text))).toBe(`"${text}"`);
    }
  });
});
