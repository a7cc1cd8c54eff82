/** Prints within prints: what they are about is asked first, then each is printed in its place. */
import { afterEach, describe, expect, test } from 'vitest';
import type { ObjectShape, Part } from '../../src/splice/plan.ts';
import { createSplicer, encodePlan, type PrintOptions, type Scanned, type Splice } from '../../src/splice/splicer.ts';
import { wholeWindow } from '../support/splice.ts';

const splicer = createSplicer();

const person: ObjectShape = { id: 'leaf' };
const item: ObjectShape = { type: 'leaf', id: 'leaf', by: { object: person }, with: { list: person } };
const shape: ObjectShape = { items: { list: item } };

const text = (value: string): Part => ({ kind: 'text', text: value });
const id = (required: boolean): Part => ({ kind: 'leaf', key: 'id', rule: 'string', required });
const inner = (what: string): Part => ({ kind: 'inner', asks: [text(`{"${what}":`), id(true), text('}')] });
const window = (...parts: Part[]): Part => ({ kind: 'window', key: 'items', parts });

const opened: Splice[] = [];
afterEach(() => {
  for (const splice of opened.splice(0)) splice.close();
});

function open(...templates: (readonly Part[])[]): Splice {
  const splice = splicer.open(encodePlan({ shape, templates }));
  opened.push(splice);
  return splice;
}

function scan(splice: Splice, ...items: object[]): Scanned {
  const scanned = splice.scan([Buffer.from(JSON.stringify({ items }))]);
  if (typeof scanned === 'string') throw new Error(scanned);
  return scanned;
}

const printed = (splice: Splice) => Buffer.from(splice.output()).toString();

describe('what is asked', () => {
  const parts = [
    text('['),
    window(
      id(false),
      { kind: 'object', key: 'by', required: false, parts: [text('<'), inner('by'), text('>')] },
      { kind: 'list', key: 'with', required: false, parts: [id(true), inner('with'), inner('again')] },
      { kind: 'first', key: 'with', required: false, parts: [inner('first')] },
      { kind: 'switch', key: 'type', cases: { one: [inner('one')], two: [id(true)], three: [] } },
      { kind: 'choice', key: 'id', parts: [], otherwise: [{ ...inner('by'), asks: [text('{"none":0}')] } as Part] },
    ),
    text(']'),
    window(inner('second')),
  ];

  test('is in the order of the print, of the window and no more', () => {
    const splice = open(parts);
    const scanned = scan(
      splice,
      { type: 'one' },
      { type: 'one', id: 'a', by: { id: 'b "quoted" é' }, with: [{ id: 'c' }, { id: 'd' }] },
      { type: 'two', id: 'e', by: null, with: [] },
      { type: 'one' },
    );
    expect(splice.asks(0, scanned, { from: 1, to: 3 })).toEqual([
      { by: 'b "quoted" é' },
      { with: 'c' },
      { again: 'c' },
      { with: 'd' },
      { again: 'd' },
      { first: 'c' },
      { one: 'a' },
      { second: 'a' },
      { second: 'e' },
    ]);
    expect(splice.asks(0, scanned, { from: 0, to: 0 })).toEqual([]);
    expect(printed(splice)).toBe('');
  });

  test('is refused as the print would be, and leaves nothing behind', () => {
    const splice = open(parts, [window(id(true))]);
    const odd = { ...wholeWindow, inner: [] };
    for (const [scanned, refusal] of [
      [scan(splice, { type: 'one' }), 'missing'],
      [scan(splice, { type: 'one', id: 'a', by: { id: 7 } }), 'not_expected'],
      [scan(splice, { type: 'one', id: 'a', by: 7 }), 'not_expected'],
    ] as const) {
      expect(splice.asks(0, scanned, odd)).toBe(refusal);
      expect(splice.print(0, scanned, odd)).not.toBeNull();
    }
    expect(splice.print(1, scan(splice, { id: 'x' }), wholeWindow)).toBeNull();
    expect(printed(splice)).toBe('"x"');
  });

  test('is nothing of a template without inner prints', () => {
    const splice = open([window(id(true))]);
    expect(splice.asks(0, scan(splice, { id: 'a' }), wholeWindow)).toEqual([]);
  });
});

describe('inner prints', () => {
  const outer: Part[] = [
    { kind: 'parameter', index: 0 },
    window({ kind: 'itemParameter', index: 0 }, inner('of'), { kind: 'itemParameter', index: 0 }, id(true)),
    { kind: 'parameter', index: 1 },
  ];
  const within: Part[] = [
    text('('),
    { kind: 'parameter', index: 0 },
    window({ kind: 'itemParameter', index: 0 }, id(true)),
    text(')'),
  ];
  const options = (from: number, to: number, name: string): PrintOptions => ({
    from,
    to,
    parameters: [`${name}0 `, ` ${name}1`],
    itemParameters: [['é', 'ü'].map((sign) => `${name}${sign}`)],
  });

  test('have a document, a window and parameters of their own; one may stand in several places', () => {
    const splice = open(outer, within);
    const first = scan(splice, { id: 'a' }, { id: 'b' }, { id: 'c' });
    const second = scan(splice, { id: 'd' }, { id: 'e' });
    const print = { template: 1, scanned: second, ...options(0, 2, 'y') };
    const other = { template: 1, scanned: first, ...options(1, 2, 'z') };
    splice.text('{');
    for (const inner of [
      [print, print],
      [other, print],
    ]) {
      expect(splice.print(0, first, { ...options(1, 3, 'x'), inner })).toBeNull();
    }
    const of = (text: string) => text.replaceAll("'", '"');
    const [y, z] = [of("(y0 yé'd',yü'e')"), of("(z0 zé'b')")];
    expect(printed(splice)).toBe(of(`{x0 xé${y}xé'b',xü${y}xü'c' x1`) + of(`x0 xé${z}xé'b',xü${y}xü'c' x1`));
  });

  test('stand in inner prints', () => {
    const splice = open(outer, within);
    const scanned = scan(splice, { id: 'a' });
    const deepest = { template: 1, scanned, ...options(0, 1, 'z') };
    const middle = { template: 0, scanned, ...options(0, 1, 'y'), inner: [deepest] };
    expect(splice.print(0, scanned, { ...options(0, 1, 'x'), inner: [middle] })).toBeNull();
    expect(printed(splice)).toBe('x0 xéy0 yé(z0 zé"a")yé"a" y1xé"a" x1');
  });

  test('too few or too many of them are refused', () => {
    const splice = open(outer, within);
    const scanned = scan(splice, { id: 'a' }, { id: 'b' });
    const print = { template: 1, scanned, ...options(0, 2, 'y') };
    for (const inner of [undefined, [], [print], [print, print, print]]) {
      expect(splice.print(0, scanned, { ...options(0, 2, 'x'), ...(inner && { inner }) })).toBe('missing');
    }
    expect(splice.print(0, scanned, { ...options(0, 2, 'x'), inner: [print, print] })).toBeNull();
  });

  test('that are refused refuse the whole, and the next print is whole again', () => {
    const splice = open(outer, within);
    const scanned = scan(splice, { id: 'a' });
    const odd = { template: 1, scanned: scan(splice, { id: 7 }), ...options(0, 1, 'y') };
    expect(splice.print(0, scanned, { ...options(0, 1, 'x'), inner: [odd] })).toBe('not_expected');
    expect(splice.print(1, scanned, options(0, 1, 'x'))).toBeNull();
    expect(printed(splice)).toBe('(x0 xé"a")');
  });

  test('more of them than their usual room holds are printed in full', () => {
    const splice = open([window(inner('of'))], [{ kind: 'parameter', index: 0 }]);
    const ids = Array.from({ length: 3_000 }, (_, at) => ({ id: `${at}` }));
    const scanned = scan(splice, ...ids);
    const asked = splice.asks(0, scanned, { from: 0, to: ids.length });
    if (typeof asked === 'string') throw new Error(asked);
    const prints = asked.map((given) => {
      const parameters = [JSON.stringify(given)];
      return { ...wholeWindow, template: 1, scanned, parameters };
    });
    expect(splice.print(0, scanned, { ...wholeWindow, to: ids.length, inner: prints })).toBeNull();
    expect(printed(splice)).toBe(ids.map(({ id }) => `{"of":"${id}"}`).join(','));
  });

  test('of another splice, or of no template, are mistakes', () => {
    const [one, other] = [open(outer, within), open(outer, within)];
    const scanned = scan(one, { id: 'a' });
    const print = { template: 1, scanned: scan(other, { id: 'b' }), ...options(0, 1, 'y') };
    const given = options(0, 1, 'x');
    expect(() => one.print(0, scanned, { ...given, inner: [print] })).toThrow('another splice');
    expect(() => one.print(0, scanned, { ...given, inner: [{ ...print, scanned, template: 4 }] })).toThrow(
      'no template',
    );
  });
});
