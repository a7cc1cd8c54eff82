/** A document is read if JSON.parse reads it and it is an object of no more than 64 levels. */
import { describe, expect, test } from 'vitest';
import type { ObjectShape } from '../../src/splice/plan.ts';
import { scans, spliced, splicedLeaf, textsOf } from '../support/splice.ts';

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const shapes: readonly ObjectShape[] = [
  { v: 'leaf' },
  { v: { object: { a: 'leaf', b: 'leaf' } } },
  { v: { list: { a: 'leaf' } } },
  { v: { object: { a: { list: { b: 'leaf' } } } } },
  { other: 'leaf' },
];

const words = 'tru truE True nul nullx fals falsee undefined abc /**/1 // #'.split(' ');
const odd = ['"', '"a', '"a"b"', "'s'", '\u00a01', '\ufeff1', '\v1', '\f1', '\u20281', '\u0000', '1\u0000', '1\t'];

describe.each(shapes)('of the shape %j', (shape) => {
  test.each([
    ['made of brackets', ['{', '}', '[', ']', ',', '"a":', '1'], 4],
    ['made of an object', ['{', '}', ',', ':', '"a"', '1 ', 'null'], 4],
    ['of words', [...words, ...odd, 'true', 'false', ' {"a":{}} ', '[-1.5e3]'], 1],
  ])('whatever is %s, under a key, behind it, or alone', (_what, tokens, most) => {
    const documents = [...textsOf(tokens, most)].flatMap((text) => [`{"v":${text},"w":1}`, `{"v":1}${text}`, text]);
    const expected = (text: string) =>
      !isJson(text) ? 'not_json' : text.trim().startsWith('{') ? 'read' : 'not_expected';
    expect(documents.filter((text) => scans(shape, text) !== expected(text))).toEqual([]);
  });

  test('every beginning of a document', () => {
    const document = '{"v":{"a":[{"b":"\\u00e9é"},-1.5e+3,true,false,null]},"w":[[],{}]}';
    for (let end = 0; end < document.length; end++) {
      expect(scans(shape, document.slice(0, end))).not.toBe('read');
    }
    expect(scans(shape, document)).toBe('read');
  });
});

describe('levels', () => {
  const lists = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  const objects = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
  const shapeOf = (levels: number): ObjectShape => (levels === 0 ? {} : { a: { object: shapeOf(levels - 1) } });
  const listsOf = (levels: number): ObjectShape => (levels === 0 ? {} : { a: { list: listsOf(levels - 1) } });

  test('64 are read, selected or not', () => {
    expect(scans({}, objects(64))).toBe('read');
    expect(scans({}, `{"a":${lists(63)}}`)).toBe('read');
    expect(scans(shapeOf(70), objects(64))).toBe('read');
    expect(scans(listsOf(70), `${'{"a":['.repeat(32)}${']}'.repeat(32)}`)).toBe('read');
    expect(scans(listsOf(70), `{"a":[${lists(62)}]}`)).toBe('read');
  });

  test('65 are not', () => {
    expect(scans({}, objects(65))).toBe('too_deep');
    expect(scans({}, `{"a":${lists(64)}}`)).toBe('too_deep');
    expect(scans(shapeOf(70), objects(65))).toBe('too_deep');
    expect(scans(shapeOf(70), `${'{"a":'.repeat(64)}[]${'}'.repeat(64)}`)).toBe('too_deep');
    expect(scans(listsOf(70), `${'{"a":['.repeat(32)}{}${']}'.repeat(32)}`)).toBe('too_deep');
    expect(scans(listsOf(70), `${'{"a":['.repeat(32)}[]${']}'.repeat(32)}`)).toBe('too_deep');
    expect(scans({}, '['.repeat(1_000_000))).toBe('too_deep');
    expect(scans({}, `{"a":${'['.repeat(1_000_000)}`)).toBe('too_deep');
  });
});

describe('keys', () => {
  test('the last of equal ones counts', () => {
    expect(splicedLeaf('number', '{"v":1,"v":2}')).toBe('2');
    expect(splicedLeaf('number', '{"v":1,"w":1,"v":"x","v":3,"w":2}')).toBe('3');
    expect(splicedLeaf('number', '{"v":1,"v":null}')).toBe('null');
    expect(splicedLeaf('number', '{"v":1,"v":{}}')).toEqual({ refused: 'not_expected' });
    const shape: ObjectShape = { v: { object: { a: 'leaf' } } };
    const parts = [
      {
        kind: 'object',
        key: 'v',
        required: false,
        parts: [{ kind: 'leaf', key: 'a', rule: 'number', required: false }],
      },
    ] as const;
    expect(spliced(shape, parts, '{"v":{"a":1},"v":{"a":2}}')).toBe('2');
    expect(spliced(shape, parts, '{"v":{"a":1},"v":{}}')).toBe('null');
    expect(spliced(shape, parts, '{"v":{"a":1},"v":null}')).toBe('null');
    expect(spliced(shape, parts, '{"v":null,"v":{"a":1,"a":3}}')).toBe('3');
  });

  test('are distinguished at every length', () => {
    const keys = Array.from({ length: 70 }, (_, length) => 'k'.repeat(length));
    const shape = Object.fromEntries(keys.map((key): [string, 'leaf'] => [key, 'leaf']));
    const parts = keys.flatMap((key) => [
      { kind: 'leaf' as const, key, rule: 'number' as const, required: true },
      { kind: 'text' as const, text: ' ' },
    ]);
    const expected = `${keys.map((_, at) => at).join(' ')} `;
    for (const order of [
      keys,
      keys.toReversed(),
      keys.toSorted((one, other) => ((one.length * 31) % 70) - ((other.length * 31) % 70)),
    ]) {
      const text = order.map((key) => `"${key}":${key.length},"${key}!":-1,"${key}k!":{"k":0}`).join(',');
      expect(spliced(shape, parts, `{${text}}`)).toBe(expected);
    }
  });

  test.each(['__proto__', 'constructor', 'toString', 'ключ', '鍵', '😀', '', ' ', '1', 'a b'])(
    '%j is as good as any',
    (key) => {
      const shape = Object.fromEntries([[key, 'leaf' as const]]);
      const document = `{"x":1,${JSON.stringify(key)}:"y"}`;
      expect(spliced(shape, [{ kind: 'leaf', key, rule: 'string', required: true }], document)).toBe('"y"');
    },
  );

  test('with escapes are refused where keys are selected', () => {
    for (const key of ['\\u0076', 'w\\n', '\\ud800', 'v\\\\']) {
      expect(splicedLeaf('number', `{"${key}":1}`)).toEqual({ refused: 'not_expected' });
      expect(splicedLeaf('number', `{"v":1,"w":{"${key}":1}}`)).toBe('1');
    }
  });

  test('that are no UTF-8 are refused where keys are selected', () => {
    const key = Buffer.from([0x22, 0x78, 0xff, 0x22]);
    const document = (before: string, after: string) => Buffer.concat([Buffer.from(before), key, Buffer.from(after)]);
    expect(splicedLeaf('number', document('{"v":1,', ':1}'))).toEqual({ refused: 'not_expected' });
    expect(splicedLeaf('number', document('{"v":1,"w":{', ':1}}'))).toBe('1');
    // JSON.parse would read it as this key.
    expect(spliced({ 'x\ufffd': 'leaf' }, [], document('{', ':1}'))).toEqual({ refused: 'not_expected' });
  });
});

test('a byte order mark is refused', () => {
  expect(scans({}, '\ufeff{}')).toBe('not_json');
  expect(scans({}, Buffer.from([0xff, 0xfe, 0x7b, 0, 0x7d, 0]))).toBe('not_json');
});
