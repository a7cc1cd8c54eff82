/** What the comparison of whole operations does not reach (compiled/differential.proof.test.ts): every length, any time, and the reasons of refusals. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { instantOf } from '../../src/splice/instant.ts';
import type { ObjectShape, Part } from '../../src/splice/plan.ts';
import { type Outcome, spliced, splicedLeaf } from '../support/splice.ts';

const text = (text: string): Part => ({ kind: 'text', text });
const notExpected: Outcome = { refused: 'not_expected' };
const missing: Outcome = { refused: 'missing' };

const shape: ObjectShape = { v: 'leaf', o: { object: { w: 'leaf' } }, l: { list: { a: 'leaf' } }, m: { list: 'leaf' } };
const required = { key: 'v', required: true } as const;
const a: Part = { kind: 'leaf', key: 'a', rule: 'number', required: true };
const list: Part = { kind: 'list', key: 'l', required: true, parts: [a] };
const window: Part = { kind: 'window', key: 'l', parts: [a] };

test.each<[part: Part, document: string, reason: Outcome]>([
  ...['string', 'number', 'boolean', 'instant', 'integer'].flatMap((rule): [Part, string, Outcome][] => [
    [{ kind: 'leaf', rule, ...required } as Part, '{"v":null}', missing],
    [{ kind: 'leaf', rule, ...required } as Part, '{}', missing],
    [{ kind: 'leaf', rule, ...required } as Part, '{"v":{}}', notExpected],
  ]),
  [{ kind: 'leaf', rule: { mapping: {}, otherwise: null }, ...required }, '{"v":"a"}', notExpected],
  [{ kind: 'leaf', rule: { mapping: { a: '1' }, otherwise: '2' }, ...required }, '{"v":"\\u0061"}', notExpected],
  ...['1234567890', '1.5', '1e1', '-0.5'].map((number): [Part, string, Outcome] => [
    { kind: 'leaf', rule: 'integer', ...required },
    `{"v":${number}}`,
    notExpected,
  ]),
  [{ kind: 'presence', key: 'v' }, '{"v":1}', notExpected],
  [{ kind: 'choice', key: 'v', parts: [], otherwise: [] }, '{"v":1}', notExpected],
  [{ kind: 'base64url', key: 'v', prefix: 0, suffix: '' }, '{"v":"a"}', missing],
  [{ kind: 'object', key: 'o', required: true, parts: [] }, '{"o":null}', missing],
  [{ kind: 'object', key: 'o', required: true, parts: [] }, '{"o":[]}', notExpected],
  [list, '{}', missing],
  [list, '{"l":{}}', notExpected],
  [list, '{"l":[{"a":0},null]}', notExpected],
  [window, '{"l":null}', missing],
  [window, '{"l":"s"}', notExpected],
  [{ kind: 'first', key: 'l', required: true, parts: [] }, '{"l":[]}', missing],
  [{ kind: 'first', key: 'l', required: true, parts: [] }, '{"l":[7]}', notExpected],
  [{ kind: 'switch', key: 'v', cases: {} }, '{"v":null}', missing],
  // The reason is its own, not that of the case before.
  [{ kind: 'switch', key: 'v', cases: {} }, '{"v":"a"}', notExpected],
  [{ kind: 'parameter', index: 0 }, '{}', missing],
])('%j of %s is refused with its reason', (part, document, reason) => {
  expect(spliced(shape, [part], document)).toEqual(reason);
});

test.each([
  [0, Number.POSITIVE_INFINITY, '0,1,2,3'],
  [-5, 1, '0'],
  [4, 9, ''],
  [3, 1, ''],
  [0, -1, ''],
])('from %d to %d a window is %j', (from, to, printed) => {
  expect(spliced(shape, [window], '{"l":[{"a":0},{"a":1},{"a":2},{"a":3}]}', { from, to })).toBe(printed);
});

test('a choice of an object is whether there is one', () => {
  const parts: Part[] = [{ kind: 'choice', key: 'o', parts: [text('1')], otherwise: [text('0')] }];
  const chosen = (document: string) => spliced(shape, parts, document);
  expect(['{"o":{"w":1}}', '{"o":{}}', '{"o":null}', '{}'].map(chosen)).toEqual(['1', '1', '0', '0']);
  expect(chosen('{"o":[{}]}')).toEqual(notExpected);
});

test('parameters are of the item of their own window, whatever windows stand in it', () => {
  const nested: ObjectShape = { l: { list: { m: { list: { a: 'leaf' } } } } };
  const item = (index: number): Part => ({ kind: 'itemParameter', index });
  const inner: Part = { kind: 'window', key: 'm', parts: [text('('), item(1), text(')')] };
  const given = {
    from: 1,
    to: 3,
    itemParameters: [
      ['a', 'b'],
      ['"ä"', '"c"'],
    ],
  };
  const document = '{"l":[{},{"m":[{},{},{}]},{"m":[]}]}';
  const parts: Part[] = [{ kind: 'window', key: 'l', parts: [item(0), inner, item(1)] }];
  expect(spliced(nested, parts, document, given)).toBe('a("ä"),("c")"ä",b"c"');
  expect(spliced(nested, parts, document, { ...given, itemParameters: [['a', 'b']] })).toEqual(missing);
});

test('a list is null if it is empty, where the plan says so', () => {
  const some: Part = { ...list, emptyIsNull: true };
  expect(['{"l":[{"a":7}]}', '{"l":[ ]}'].map((document) => spliced(shape, [some], document))).toEqual(['[7]', 'null']);
  expect(spliced(shape, [some], '{"l":null}')).toEqual(missing);
});

test('a list of ten thousand entries is printed in full', () => {
  const entries = Array.from({ length: 10_000 }, (_, at) => ({ a: at }));
  const expected = `[${entries.map((entry) => entry.a).join(',')}]`;
  expect(spliced(shape, [list], JSON.stringify({ l: entries }))).toBe(expected);
});

test('a word is found among words of all lengths', () => {
  const all = Array.from({ length: 70 }, (_, length) => 'w'.repeat(length));
  const rule = { mapping: Object.fromEntries(all.map((word, at) => [word, String(at)])), otherwise: '"other"' };
  for (const [at, word] of all.entries()) {
    expect(splicedLeaf(rule, `{"v":"${word}"}`)).toBe(String(at));
    expect(splicedLeaf(rule, `{"v":"${word}x"}`)).toBe('"other"');
    // They are told apart by the middle, too.
    const [one, two, none] = ['a', 'b', 'c'].map((middle) => `${word}${middle}${'z'.repeat(9)}`);
    const alike = { mapping: { [String(one)]: '1', [String(two)]: '2' }, otherwise: '"other"' };
    expect([one, two, none].map((each) => splicedLeaf(alike, `{"v":"${each}"}`))).toEqual(['1', '2', '"other"']);
  }
});

test('base64url is that of prefix, both strings and suffix, at every length', () => {
  const first = { object: 'o', key: 'w' };
  const parts: Part[] = [{ kind: 'base64url', key: 'v', first, prefix: 0, suffix: ']' }, text('!')];
  for (let length = 0; length < 60; length++) {
    for (const prefix of ['[', 'ü[']) {
      const [w, v] = ['ÿ"~\\'.repeat(length).slice(0, length), '~?ÿ>'.repeat(length).slice(0, 60 - length)];
      const printed = Buffer.from(`${prefix}${JSON.stringify([w, v]).slice(1)}`).toString('base64url');
      expect(spliced(shape, parts, JSON.stringify({ v, o: { w } }), { parameters: [prefix] })).toBe(`"${printed}"!`);
    }
  }
});

describe('an instant', () => {
  test('is the time of any number', () => {
    const some = ['-0', '1e9', '1.5', '1.7672256e12', '9007199254740993', '253402300799999', '253402300800000'];
    const number = fc.oneof(
      ...[fc.nat({ max: 2_000_000_000 }), fc.integer({ min: 0, max: 1e12 }), fc.maxSafeNat()].map((each) =>
        each.map(String),
      ),
      fc.constantFrom(...some, '951782400', '951868800', '4107542400', '-1', '-62135596800'),
    );
    fc.assert(
      fc.property(number, (number) => {
        const instant = instantOf(Number(number));
        expect(splicedLeaf('instant', `{"v":${number}}`)).toEqual(instant === undefined ? notExpected : `"${instant}"`);
      }),
      { numRuns: 5_000 },
    );
  });

  test('is on a day that its month has, but never on 29 February, which the executor prints', () => {
    const printed = ['03-31', '04-30', '05-31', '06-30', '07-31', '08-31', '09-30', '10-31', '11-30', '12-31', '02-28'];
    const refused = ['02-29', '04-31', '06-31', '09-31', '11-31', '01-32', '12-00', '00-10', '13-10'];
    for (const day of [...printed, ...refused]) {
      const instant = `"2024-${day}T00:00:00Z"`;
      expect(splicedLeaf('instant', `{"v":${instant}}`)).toEqual(printed.includes(day) ? instant : notExpected);
    }
  });

  test('is refused or accepted exactly by its rule with one character changed', () => {
    const pattern =
      /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3])(?::[0-5]\d){2}(?:\.\d{1,3})?Z$/;
    for (const instant of ['2026-12-21T13:45:59Z', '2019-10-08T20:05:00.407Z', '0001-01-11T00:00:00.0Z']) {
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
