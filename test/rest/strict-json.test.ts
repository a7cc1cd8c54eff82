import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ServiceError } from '../../src/kernel/errors.ts';
import { parseStrictJson } from '../../src/rest/strict-json.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

/** The detail of the `malformed_request` that a text ends in; null without one. */
function refusal(text: string): string | null {
  try {
    parseStrictJson(bytes(text));
    return null;
  } catch (error) {
    if (error instanceof ServiceError && error.errorName === 'malformed_request') return error.detail ?? '';
    throw error;
  }
}

test('what JSON.stringify writes is read as JSON.parse reads it', () => {
  const value = fc
    .jsonValue({ maxDepth: 6 })
    .filter((each) => !/"(?:__proto__|constructor|prototype)"/.test(JSON.stringify(each)));
  fc.assert(
    fc.property(value, fc.constantFrom(0, 1, '\t'), (each, space) => {
      const text = JSON.stringify(each, null, space);
      expect(parseStrictJson(bytes(text))).toEqual(JSON.parse(text));
    }),
  );
});

test('a name that is repeated in one object is refused, wherever the object is and however it is written', () => {
  const name = fc
    .string({ unit: 'binary', minLength: 1 })
    .filter((each) => !/^(?:__proto__|constructor|prototype)$/.test(each));
  const escaped = (text: string) =>
    `"${[...Array(text.length).keys()].map((at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`;
  fc.assert(
    fc.property(name, fc.jsonValue(), fc.constantFrom('@', '[1,@]', '{"outer":{"x":@}}'), (each, value, around) => {
      const object = `{${JSON.stringify(each)}:1,"other\\"":2,${escaped(each)} :${JSON.stringify([JSON.stringify(value)])}}`;
      expect(refusal(around.replace('@', () => object))).toContain('twice in one object');
    }),
  );
});

test.each([
  ['{"a":1,"b":{"a":1}}', null],
  ['[{"a":1},{"a":1}]', null],
  ['{"a":"a","b":["a",":"]}', null],
  ['{"a":"\\\\","b":"\\":"}', null],
  [`${'['.repeat(64)}${']'.repeat(64)}`, null],
  [`${'['.repeat(65)}${']'.repeat(65)}`, 'nested more than 64'],
  ['{"__proto__":1}', '__proto__'],
  ['{"a":{"constructor":1}}', 'constructor'],
  ['"__proto__"', null],
  ['', 'empty'],
  ['{', 'not valid JSON'],
])('%s', (text, detail) => {
  expect(refusal(text)).toEqual(detail === null ? null : expect.stringContaining(detail));
});

test('a text that is not UTF-8 is refused', () => {
  expect(() => parseStrictJson(new Uint8Array([0x22, 0xff, 0x22]))).toThrow('UTF-8');
});
