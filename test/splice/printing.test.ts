/** What the parts of a template print. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { instantOf } from '../../src/splice/instant.ts';
import { itself, type LeafRule, type ObjectShape, type Part } from '../../src/splice/plan.ts';
import type { PrintOptions } from '../../src/splice/splicer.ts';
import { type Outcome, spliced, splicedLeaf } from '../support/splice.ts';

const text = (text: string): Part => ({ kind: 'text', text });
const notExpected: Outcome = { refused: 'not_expected' };
const missing: Outcome = { refused: 'missing' };

describe('a leaf', () => {
  const mapped: LeafRule = { mapping: { a: '"A"', ä: '1' }, otherwise: '"other"' };
  const values = ['"a"', '"2026-01-01T00:00:00Z"', '1', 'true', 'false', '{}', '[]', '{"v":1}', '[1]'];
  const printed: readonly (readonly [LeafRule, readonly string[]])[] = [
    ['string', ['"a"', '"2026-01-01T00:00:00Z"']],
    ['number', ['1']],
    ['boolean', ['true', 'false']],
    ['instant', ['"2026-01-01T00:00:00Z"']],
  ];
  /** A number is no time as it stands, but one can be made of it. */
  const made = new Map([['instant 1', '"1970-01-01T00:00:01.000Z"']]);

  test.each(printed)('by the rule %j is printed as it stands, or refused', (rule, fit) => {
    for (const value of values) {
      const expected = made.get(`${rule} ${value}`) ?? (fit.includes(value) ? value : notExpected);
      expect(splicedLeaf(rule, `{"v":${value}}`)).toEqual(expected);
    }
  });

  test.each([...printed.map(([rule]) => rule), mapped])('by the rule %j is null where it is null or absent', (rule) => {
    for (const document of ['{"v":null}', '{}', '{"w":1}', '{ "v" : null }']) {
      expect(splicedLeaf(rule, document)).toBe('null');
      expect(splicedLeaf(rule, document, true)).toEqual(missing);
    }
  });

  test('by a mapping is the text of its word', () => {
    expect(splicedLeaf(mapped, '{"v":"a"}')).toBe('"A"');
    expect(splicedLeaf(mapped, '{"v":"ä"}')).toBe('1');
    for (const other of ['""', '"A"', '"aa"', '"toString"', '"ö"']) {
      expect(splicedLeaf(mapped, `{"v":${other}}`)).toBe('"other"');
    }
    // Escapes are not looked into.
    for (const value of ['1', 'true', '{}', '[]', '"\\u0061"', '"b\\n"']) {
      expect(splicedLeaf(mapped, `{"v":${value}}`)).toEqual(notExpected);
    }
    const invalid = Buffer.from([...Buffer.from('{"v":"'), 0xff, ...Buffer.from('"}')]);
    expect(splicedLeaf({ mapping: { '\ufffd': '1' }, otherwise: '2' }, invalid)).toEqual(notExpected);
  });

  test('is found among words of all lengths', () => {
    const all = Array.from({ length: 70 }, (_, length) => 'w'.repeat(length));
    const rule = { mapping: Object.fromEntries(all.map((word, at) => [word, String(at)])), otherwise: '"other"' };
    for (const [at, word] of all.entries()) {
      expect(splicedLeaf(rule, `{"v":"${word}"}`)).toBe(String(at));
      expect(splicedLeaf(rule, `{"v":"${word}x"}`)).toBe('"other"');
    }
  });
});

describe('an instant', () => {
  test.each([
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59Z',
    '2026-02-28T12:00:00Z',
    '2026-04-30T09:08:07.1Z',
    '2026-01-31T09:08:07.12Z',
    '2026-10-31T09:08:07.123Z',
    ...['03-31', '05-31', '06-30', '07-31', '08-31', '09-30', '11-30', '12-31'].map((day) => `2026-${day}T00:00:00Z`),
  ])('%s is printed', (instant) => {
    expect(splicedLeaf('instant', `{"v":"${instant}"}`)).toBe(`"${instant}"`);
  });

  test.each([
    ...['2026-02-29', '2024-02-29', '2026-04-31', '2026-06-31', '2026-09-31', '2026-11-31', '2026-01-32'],
    ...['2026-13-01', '2026-00-01', '2026-01-00', '0000-01-01', '2026-1-01', '26-01-01', '+002026-01-01'],
    ...['2026/01/01', '2026-01_01', '２０２６-01-01', '2026-0a-01', '2026-01-0:'],
  ])('%s is no day', (day) => {
    expect(splicedLeaf('instant', `{"v":"${day}T00:00:00Z"}`)).toEqual(notExpected);
  });

  test.each([
    ...['24:00:00', '23:60:00', '23:59:60', '1:00:00', '00:00', '00:00:00.', '00:00:00.1234', '00:00:00,1'],
    ...['00:00:0a', '00:0a:00', '0a:00:00', '00:00:00.a', '00:00:00.1a', '00:00:00 ', '00-00-00', '00:00:000'],
  ])('%s is no time', (time) => {
    expect(splicedLeaf('instant', `{"v":"2026-01-01T${time}Z"}`)).toEqual(notExpected);
  });

  test.each([
    '',
    'Z',
    '2026-01-01T00:00:00',
    '2026-01-01T00:00:00z',
    '2026-01-01t00:00:00Z',
    '2026-01-01 00:00:00Z',
    '2026-01-01T00:00:00+00:00',
    '2026-01-01T00:00:00.000+00:00',
    '2026-01-01',
    '1767225600000',
    '2026-01-01T00:00:00\\u005a',
    '\\u0032026-01-01T00:00:00Z',
  ])('%j is no instant', (value) => {
    expect(splicedLeaf('instant', `{"v":"${value}"}`)).toEqual(notExpected);
  });

  test.each([
    ...['0', '1', '59', '99999999999', '100000000000', '99999999999999', '100000000000000', '253402300799999'],
    ...['253402300800000', '951782399', '951782400', '951868800', '1709164800000', '4107542400', '-1', '-62135596800'],
    ...['1.5', '1767225600.25', '1e9', '1.7672256e12', '-0', '9007199254740993', '-99999999999999999'],
  ])('is the time of %s', (number) => {
    const instant = instantOf(Number(number));
    expect(splicedLeaf('instant', `{"v":${number}}`)).toEqual(instant === undefined ? notExpected : `"${instant}"`);
  });

  test('is the time of any whole number', () => {
    const number = fc.oneof(fc.nat({ max: 2_000_000_000 }), fc.integer({ min: 0, max: 1e12 }), fc.maxSafeNat());
    fc.assert(
      fc.property(number, (number) => {
        const instant = instantOf(number);
        expect(splicedLeaf('instant', `{"v":${number}}`)).toEqual(instant === undefined ? notExpected : `"${instant}"`);
      }),
      { numRuns: 5_000 },
    );
  });

  test('is refused or accepted exactly by its rule with one character changed', () => {
    const pattern =
      /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3])(?::[0-5]\d){2}(?:\.\d{1,3})?Z$/;
    for (const instant of ['2026-12-21T13:45:59Z', '2019-10-08T20:05:00.407Z', '2001-01-11T00:00:00.0Z']) {
      for (let at = 0; at < instant.length; at++) {
        for (const character of '0123456789-:.TZ /a~') {
          const value = instant.slice(0, at) + character + instant.slice(at + 1);
          if (/-(?:29|3\d)T/.test(value)) continue;
          const expected = pattern.test(value) ? `"${value}"` : notExpected;
          expect(splicedLeaf('instant', `{"v":"${value}"}`)).toEqual(expected);
        }
      }
    }
  });
});

describe('presence', () => {
  const presence = (document: string) => spliced({ v: 'leaf' }, [{ kind: 'presence', key: 'v' }, text('!')], document);

  test.each([
    ...['"a"', '""', '"ü"', '"\\u0061"'].map((value) => [`{"v":${value}}`, 'true!']),
    ...['{}', '{"v":null}', '{"w":"a"}'].map((document) => [document, 'false!']),
  ])('of %s is %s', (document, printed) => expect(presence(document)).toBe(printed));

  test.each(['1', 'true', 'false', '{}', '[]'])('of %s is refused', (value) =>
    expect(presence(`{"v":${value}}`)).toEqual(notExpected),
  );
});

describe('a choice', () => {
  const print = (document: string) =>
    spliced(
      { v: 'leaf', w: 'leaf' },
      [text('['), { kind: 'choice', key: 'v', parts: [string('v')], otherwise: [text('0,'), string('w')] }, text(']')],
      document,
    );
  const string = (key: string): Part => ({ kind: 'leaf', key, rule: 'string', required: true });

  test('of an object is whether there is one', () => {
    const parts: Part[] = [{ kind: 'choice', key: 'o', parts: [text('1')], otherwise: [text('0')] }];
    const chosen = (document: string) => spliced({ o: { object: { w: 'leaf' } } }, parts, document);
    expect(['{"o":{"w":1}}', '{"o":{}}', '{"o":null}', '{}'].map(chosen)).toEqual(['1', '1', '0', '0']);
    for (const value of ['1', '[]', '[{}]', 'true']) expect(chosen(`{"o":${value}}`)).toEqual(notExpected);
  });

  test.each([
    ['{"v":"a","w":"b"}', '["a"]'],
    ['{"v":"","w":"b"}', '[""]'],
    ['{"v":"é\\n"}', '["é\\n"]'],
    ['{"w":"b"}', '[0,"b"]'],
    ['{"v":null,"w":"b"}', '[0,"b"]'],
  ])('of %s is %s', (document, printed) => expect(print(document)).toBe(printed));

  test('refuses what is no string, and what its parts refuse', () => {
    for (const value of ['1', 'true', '{}', '[]']) expect(print(`{"v":${value},"w":"b"}`)).toEqual(notExpected);
    expect(print('{}')).toEqual(missing);
  });
});

describe('a string as base64url', () => {
  const shape: ObjectShape = { v: 'leaf' };
  const parts = (suffix: string): Part[] => [{ kind: 'base64url', key: 'v', prefix: 1, suffix }, text('!')];
  const base64url = (value: string) => `"${Buffer.from(value).toString('base64url')}"!`;

  test('is base64url of prefix, string and suffix, at every length', () => {
    for (let length = 0; length < 60; length++) {
      for (const prefix of ['', '{"a":', 'ü', 'a prefix of some length ']) {
        const value = '~?ÿ>'.repeat(length).slice(0, length);
        const outcome = spliced(shape, parts('}'), `{"v":"${value}"}`, { parameters: ['no', prefix] });
        expect(outcome).toBe(base64url(`${prefix}"${value}"}`));
      }
    }
  });

  test('has all characters of the alphabet', () => {
    for (let point = 0x80; point < 0x800; point += 1) {
      const value = String.fromCharCode(point, 0x20 + (point % 2), point ^ 0x7f);
      expect(spliced(shape, parts('ÿ?>'), JSON.stringify({ v: value }), { parameters: ['', 'ÿ'] })).toBe(
        base64url(`ÿ${JSON.stringify(value)}ÿ?>`),
      );
    }
  });

  test('is the string as JSON.stringify prints it', () => {
    const outcome = spliced(shape, parts(''), '{"v":"\\u0041\\/\\ud83d\\ude00\\uD800\\n"}', { parameters: ['', ''] });
    expect(outcome).toBe(base64url('"A/😀\ufffd\\n"'));
  });

  describe('with another string first', () => {
    const withFirst: ObjectShape = { v: 'leaf', o: { object: { w: 'leaf' } } };
    const print = (document: string) =>
      spliced(
        withFirst,
        [{ kind: 'base64url', key: 'v', first: { object: 'o', key: 'w' }, prefix: 0, suffix: ']' }, text('!')],
        document,
        { parameters: ['['] },
      );

    test('has a comma between the two, at every length', () => {
      for (let length = 0; length < 40; length++) {
        const first = 'ÿ"~\\'.repeat(length).slice(0, length);
        const value = 'value'.repeat(length).slice(0, 40 - length);
        expect(print(JSON.stringify({ v: value, o: { w: first } }))).toBe(base64url(JSON.stringify([first, value])));
        expect(print(JSON.stringify({ o: { w: first }, v: value }))).toBe(base64url(JSON.stringify([first, value])));
      }
    });

    test.each(['{"v":"1"}', '{"v":"1","o":null}', '{"v":"1","o":{}}', '{"v":"1","o":{"w":null}}'])(
      '%s has none',
      (document) => expect(print(document)).toEqual(missing),
    );

    test.each(['{"v":"1","o":[]}', '{"v":"1","o":"w"}', '{"v":"1","o":{"w":1}}', '{"v":"1","o":{"w":{}}}'])(
      '%s is refused',
      (document) => expect(print(document)).toEqual(notExpected),
    );
  });

  test('is refused where there is no string, or no prefix', () => {
    for (const value of ['1', 'true', '{}', '[]']) {
      expect(spliced(shape, parts(''), `{"v":${value}}`, { parameters: ['', ''] })).toEqual(notExpected);
    }
    expect(spliced(shape, parts(''), '{"v":null}', { parameters: ['', ''] })).toEqual(missing);
    expect(spliced(shape, parts(''), '{}', { parameters: ['', ''] })).toEqual(missing);
    expect(spliced(shape, parts(''), '{"v":"a"}', { parameters: [''] })).toEqual(missing);
    const invalid = Buffer.from([...Buffer.from('{"v":"'), 0xff, ...Buffer.from('"}')]);
    expect(spliced(shape, parts(''), invalid, { parameters: ['', ''] })).toEqual(notExpected);
  });
});

describe('an object', () => {
  const shape: ObjectShape = { o: { object: { a: 'leaf', p: { object: { a: 'leaf' } } } } };
  const a: Part = { kind: 'leaf', key: 'a', rule: 'number', required: false };
  const parts = (required: boolean): Part[] => [
    text('<'),
    {
      kind: 'object',
      key: 'o',
      required,
      parts: [
        text('{'),
        a,
        text(','),
        { kind: 'object', key: 'p', required, parts: [text('('), a, text(')')] },
        text('}'),
      ],
    },
    text('>'),
  ];

  test('is printed with what stands in it', () => {
    expect(spliced(shape, parts(true), '{"o":{"p":{"a":2},"a":1}}')).toBe('<{1,(2)}>');
    expect(spliced(shape, parts(true), '{"o":{"p":{}}}')).toBe('<{null,(null)}>');
  });

  test('is null where it is null or absent, unless it is required', () => {
    expect(spliced(shape, parts(false), '{"o":{"a":1}}')).toBe('<{1,null}>');
    expect(spliced(shape, parts(false), '{"o":null}')).toBe('<null>');
    expect(spliced(shape, parts(true), '{"o":{"a":1}}')).toEqual(missing);
    expect(spliced(shape, parts(true), '{}')).toEqual(missing);
  });

  test.each(['1', '"s"', 'true', '[]', '[{}]'])('%s is none', (value) => {
    expect(spliced(shape, parts(false), `{"o":${value}}`)).toEqual(notExpected);
  });
});

describe('lists', () => {
  const shape: ObjectShape = { l: { list: { a: 'leaf', m: { list: { a: 'leaf' } } } } };
  const a: Part = { kind: 'leaf', key: 'a', rule: 'number', required: true };
  const list = (required: boolean): Part[] => [{ kind: 'list', key: 'l', required, parts: [a] }];
  const window: Part[] = [text('<'), { kind: 'window', key: 'l', parts: [a] }, text('>')];
  const document = '{"l":[{"a":0},{"a":1},{"a":2},{"a":3}]}';

  test('are printed with brackets and commas', () => {
    expect(spliced(shape, list(true), document)).toBe('[0,1,2,3]');
    expect(spliced(shape, list(true), '{"l":[{"a":7}]}')).toBe('[7]');
    expect(spliced(shape, list(true), '{"l":[ ]}')).toBe('[]');
    expect(spliced(shape, list(false), '{"l":null}')).toBe('null');
    expect(spliced(shape, list(true), '{"l":null}')).toEqual(missing);
    expect(spliced(shape, list(true), '{}')).toEqual(missing);
  });

  test('are null if they are empty, where the plan says so', () => {
    const ofSome = list(true).map((part) => ({ ...part, emptyIsNull: true }) as Part);
    expect(spliced(shape, ofSome, '{"l":[{"a":7}]}')).toBe('[7]');
    expect(spliced(shape, ofSome, '{"l":[ ]}')).toBe('null');
    expect(spliced(shape, ofSome, '{"l":null}')).toEqual(missing);
  });

  test.each([
    [0, 4, '0,1,2,3'],
    [0, 100, '0,1,2,3'],
    [1, 3, '1,2'],
    [3, 4, '3'],
    [0, Number.POSITIVE_INFINITY, '0,1,2,3'],
    [-5, 1, '0'],
    [4, 9, ''],
    [2, 2, ''],
    [3, 1, ''],
    [0, 0, ''],
    [0, -1, ''],
  ])('from %d to %d a window is %j', (from, to, printed) => {
    expect(spliced(shape, window, document, { from, to })).toBe(`<${printed}>`);
  });

  test('a window that is absent or null is missing', () => {
    expect(spliced(shape, window, '{}')).toEqual(missing);
    expect(spliced(shape, window, '{"l":null}')).toEqual(missing);
  });

  test.each(['1', '"s"', 'true', '{}', '{"l":[]}'])('%s is none', (value) => {
    expect(spliced(shape, list(false), `{"l":${value}}`)).toEqual(notExpected);
    expect(spliced(shape, window, `{"l":${value}}`)).toEqual(notExpected);
  });

  test.each(['1', '"s"', 'null', '[]', '[{"a":1}]'])('%s is no entry', (entry) => {
    const odd = `{"l":[{"a":0},${entry},{"a":2}]}`;
    expect(spliced(shape, list(false), odd)).toEqual(notExpected);
    expect(spliced(shape, window, odd)).toEqual(notExpected);
    // Outside of the window nobody minds.
    expect(spliced(shape, window, odd, { from: 0, to: 1 })).toBe('<0>');
    expect(spliced(shape, window, odd, { from: 2, to: 3 })).toBe('<2>');
    expect(spliced(shape, [text('x')], odd)).toBe('x');
  });

  test('stand in lists, each with its own entries', () => {
    const parts: Part[] = [
      { kind: 'list', key: 'l', required: true, parts: [a, { kind: 'list', key: 'm', required: false, parts: [a] }] },
    ];
    const nested = '{"l":[{"m":[{"a":1},{"a":2}],"a":0},{"a":3},{"a":4,"m":[]}]}';
    expect(spliced(shape, parts, nested)).toBe('[0[1,2],3null,4[]]');
  });

  test('parameters stand where they are named, by item or not', () => {
    const parts: Part[] = [
      { kind: 'parameter', index: 1 },
      {
        kind: 'window',
        key: 'l',
        parts: [
          { kind: 'itemParameter', index: 0 },
          { kind: 'window', key: 'm', parts: [text('('), { kind: 'itemParameter', index: 1 }, text(')')] },
          { kind: 'itemParameter', index: 1 },
        ],
      },
      { kind: 'parameter', index: 0 },
    ];
    const options: Partial<PrintOptions> = {
      from: 1,
      to: 3,
      parameters: ['"end"', '"ü"'],
      itemParameters: [
        ['a', 'b'],
        ['"ä"', '"c"'],
      ],
    };
    const nested = '{"l":[{},{"m":[{},{},{}]},{"m":[]}]}';
    expect(spliced(shape, parts, nested, options)).toBe('"ü"a("ä"),("c")"ä",b"c""end"');
    expect(spliced(shape, parts, nested, { ...options, parameters: ['x'] })).toEqual(missing);
    expect(spliced(shape, parts, nested, { ...options, itemParameters: [['a', 'b']] })).toEqual(missing);
    expect(spliced(shape, parts, nested, { ...options, itemParameters: [['a'], ['c', 'd']] })).toEqual(missing);
  });

  test('of ten thousand entries are printed in full', () => {
    const entries = Array.from({ length: 10_000 }, (_, at) => ({ a: at }));
    const expected = `[${entries.map((entry) => entry.a).join(',')}]`;
    expect(spliced(shape, list(true), JSON.stringify({ l: entries }))).toBe(expected);
  });
});

describe('a list of leaves', () => {
  const shape: ObjectShape = { l: { list: 'leaf' }, m: { list: { l: { list: 'leaf' } } } };
  const leaf = (required: boolean): Part => ({
    kind: 'leaf',
    key: itself,
    rule: { mapping: { a: '1', b: '2' }, otherwise: '0' },
    required,
  });
  const list = (required: boolean): Part[] => [{ kind: 'list', key: 'l', required, parts: [leaf(required)] }];

  test.each([
    ['{"l":["a","b","c","a"]}', '[1,2,0,1]'],
    ['{ "l" : [ "a" , "b" ] }', '[1,2]'],
    ['{"l":["b"]}', '[2]'],
    ['{"l":[]}', '[]'],
  ])('of %s is %s', (document, printed) => expect(spliced(shape, list(true), document)).toBe(printed));

  test('is null, and has null, unless it is required', () => {
    expect(spliced(shape, list(false), '{"l":["a",null]}')).toBe('[1,null]');
    expect(spliced(shape, list(true), '{"l":["a",null]}')).toEqual(missing);
    for (const document of ['{"l":null}', '{}']) {
      expect(spliced(shape, list(false), document)).toBe('null');
      expect(spliced(shape, list(true), document)).toEqual(missing);
    }
  });

  test.each(['1', 'true', '{}', '{"":"a"}', '[]', '["a"]', '"\\u0061"'])('%s is no entry', (entry) => {
    expect(spliced(shape, list(false), `{"l":["a",${entry}]}`)).toEqual(notExpected);
    expect(spliced(shape, [text('x')], `{"l":["a",${entry}]}`)).toBe('x');
  });

  test.each(['1', '"s"', 'true', '{}', '{"":"a"}'])('%s is none', (value) => {
    expect(spliced(shape, list(false), `{"l":${value}}`)).toEqual(notExpected);
  });

  test('stands in each entry of another', () => {
    const parts: Part[] = [{ kind: 'list', key: 'm', required: true, parts: list(false) }];
    expect(spliced(shape, parts, '{"m":[{"l":["a","b"]},{},{"l":[]},{"l":["b"]}]}')).toBe('[[1,2],null,[],[2]]');
  });
});

describe('the first entry', () => {
  const shape: ObjectShape = { l: { list: { a: 'leaf' } }, m: { list: 'leaf' } };
  const first = (required: boolean): Part[] => [
    { kind: 'first', key: 'l', required, parts: [text('('), { kind: 'leaf', key: 'a', rule: 'number', required }] },
    { kind: 'first', key: 'm', required, parts: [{ kind: 'leaf', key: itself, rule: 'string', required }, text(')')] },
  ];

  test.each([
    ['{"l":[{"a":1},{"a":2}],"m":["x","y"]}', '(1"x")'],
    ['{"l":[{"a":1},7],"m":["x",7]}', '(1"x")'],
  ])('of %s is printed', (document, printed) => expect(spliced(shape, first(true), document)).toBe(printed));

  test('is null of an empty list and of none, unless it is required', () => {
    for (const document of ['{"l":[],"m":[]}', '{"l":null,"m":null}', '{}']) {
      expect(spliced(shape, first(false), document)).toBe('nullnull');
      expect(spliced(shape, first(true), document)).toEqual(missing);
    }
    expect(spliced(shape, first(false), '{"l":[{}],"m":[null]}')).toBe('(nullnull)');
    expect(spliced(shape, first(true), '{"l":[{"a":1}],"m":[null]}')).toEqual(missing);
  });

  test.each(['{"l":[7]}', '{"l":7}', '{"l":{}}', '{"m":[7]}', '{"m":[{}]}', '{"m":"x"}'])('of %s is refused', (odd) => {
    expect(spliced(shape, first(false), odd)).toEqual(notExpected);
  });
});

describe('a switch', () => {
  const shape: ObjectShape = { type: 'leaf', a: 'leaf', o: { object: { a: 'leaf' } } };
  const a: Part = { kind: 'leaf', key: 'a', rule: 'number', required: true };
  const inner: Part = { kind: 'object', key: 'o', required: true, parts: [a] };
  const parts = (otherwise: Part[] | null): Part[] => [
    text('<'),
    { kind: 'switch', key: 'type', cases: { one: [text('1:'), a], two: [], three: [inner, text('!')] }, otherwise },
    text('>'),
    a,
  ];

  test('prints the parts of its case, and what follows', () => {
    expect(spliced(shape, parts(null), '{"type":"one","a":7}')).toBe('<1:7>7');
    expect(spliced(shape, parts(null), '{"type":"two","a":7}')).toBe('<>7');
    expect(spliced(shape, parts(null), '{"type":"three","a":7,"o":{"a":8}}')).toBe('<8!>7');
    expect(spliced(shape, parts([text('?')]), '{"type":"toString","a":7}')).toBe('<?>7');
    expect(spliced(shape, parts([]), '{"type":"","a":7}')).toBe('<>7');
  });

  test('refuses what it does not know', () => {
    expect(spliced(shape, parts(null), '{"type":"four","a":7}')).toEqual(notExpected);
    for (const value of ['1', 'true', '{}', '[]', '"on\\u0065"']) {
      expect(spliced(shape, parts([]), `{"type":${value},"a":7}`)).toEqual(notExpected);
    }
    expect(spliced(shape, parts([]), '{"type":null,"a":7}')).toEqual(missing);
    expect(spliced(shape, parts([]), '{"a":7}')).toEqual(missing);
  });
});
