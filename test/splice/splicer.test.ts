/** Instances and their memory: what is shared, what is bounded, and what is thrown away. */
import { describe, expect, test } from 'vitest';
import type { SplicePlan } from '../../src/splice/plan.ts';
import {
  createSplicer,
  encodePlan,
  maxIdleBytes,
  type Scanned,
  type Splice,
  type Splicer,
} from '../../src/splice/splicer.ts';
import { wholeWindow } from '../support/splice.ts';

const plan: SplicePlan = {
  shape: { v: 'leaf', o: { object: { v: 'leaf', p: { object: { v: 'leaf' } } } }, l: { list: { v: 'leaf' } } },
  templates: [
    [{ kind: 'leaf', key: 'v', rule: 'string', required: true }],
    [{ kind: 'list', key: 'l', required: true, parts: [{ kind: 'leaf', key: 'v', rule: 'string', required: false }] }],
    [{ kind: 'parameter', index: 0 }],
    [{ kind: 'list', key: 'l', required: true, parts: [{ kind: 'text', text: 'x'.repeat(1_000) }] }],
  ],
};
const encoded = encodePlan(plan);
const json = (value: unknown): Buffer[] => [Buffer.from(JSON.stringify(value))];
const mebibyte = 1_024 * 1_024;

function scanned(splice: Splice, document: readonly Uint8Array[]): Scanned {
  const scanned = splice.scan(document);
  if (typeof scanned === 'string') throw new Error(scanned);
  return scanned;
}

const printed = (splice: Splice): string => Buffer.from(splice.output()).toString();

/** What an instance prints that nothing has spoiled. */
function expectToWork(splicer: Splicer): void {
  const splice = splicer.open(encoded);
  expect(splice.print(0, scanned(splice, json({ v: 'works' })), wholeWindow)).toBeNull();
  expect(printed(splice)).toBe('"works"');
  splice.close();
}

/** What a splice does that has no memory. */
function expectToRefuseAll(splice: Splice): void {
  expect(splice.text('before')).toBe('too_large');
  expect(splice.scan(json({}))).toBe('too_large');
  expect(splice.output()).toHaveLength(0);
  splice.close();
}

describe('several documents and prints', () => {
  test('of one splice stand one behind the other', () => {
    const splice = createSplicer().open(encoded);
    splice.text('<');
    const first = scanned(splice, json({ v: 'first', l: [{ v: 'a' }, {}] }));
    expect(splice.print(0, first, wholeWindow)).toBeNull();
    splice.text('ü');
    const second = scanned(splice, [Buffer.from('{"v":'), Buffer.alloc(0), Buffer.from('"second"'), Buffer.from('}')]);
    expect(splice.print(0, second, wholeWindow)).toBeNull();
    expect(splice.print(1, first, wholeWindow)).toBeNull();
    expect(splice.print(1, second, wholeWindow)).toBe('missing');
    expect(splice.scan([Buffer.from('{')])).toBe('not_json');
    splice.text('>');
    expect(printed(splice)).toBe('<"first"ü"second"["a",null]>');
    splice.close();
  });

  test('end at the bound of the output, and go on below it', () => {
    const splice = createSplicer({ maxOutputBytes: 100 }).open(encoded);
    const small = scanned(splice, json({ v: 'small' }));
    // What is selected is longer than the bound; as printed, it would not be.
    const large = scanned(splice, [Buffer.from(`{"v":"${'\\u0061'.repeat(50)}"}`)]);
    expect(splice.print(0, small, wholeWindow)).toBeNull();
    expect(splice.print(0, large, wholeWindow)).toBe('too_large');
    expect(splice.text('x'.repeat(94))).toBe('too_large');
    expect(splice.text('x'.repeat(86))).toBeNull();
    expect(splice.print(0, small, wholeWindow)).toBeNull();
    expect(splice.text('x')).toBe('too_large');
    expect(printed(splice)).toBe(`"small"${'x'.repeat(86)}"small"`);
    splice.close();
  });

  test('of splices that are open together do not meet', () => {
    const splicer = createSplicer();
    for (let round = 0; round < 3; round++) {
      const splices = Array.from({ length: 50 }, () => splicer.open(encoded));
      const documents = splices.map((splice, at) => scanned(splice, json({ v: `document ${at}` })));
      for (const [at, splice] of splices.entries()) splice.print(0, documents[at] as Scanned, wholeWindow);
      expect(splices.map(printed)).toEqual(splices.map((_, at) => `"document ${at}"`));
      for (const splice of splices) splice.close();
    }
  });
});

test('a document of another splice, or a template that is none, is a mistake', () => {
  const splicer = createSplicer();
  const [one, other] = [splicer.open(encoded), splicer.open(encoded)];
  const document = scanned(one, json({ v: 'one' }));
  expect(() => other.print(0, document, wholeWindow)).toThrow('another splice');
  expect(() => one.print(4, document, wholeWindow)).toThrow('no template 4');
});

test('inner prints that are too few or too many are refused', () => {
  const templates: SplicePlan['templates'] = [
    [{ kind: 'window', key: 'l', parts: [{ kind: 'inner', asks: [] }] }],
    [{ kind: 'text', text: 'x' }],
  ];
  const splice = createSplicer().open(encodePlan({ shape: plan.shape, templates }));
  const document = scanned(splice, json({ l: [{}, {}] }));
  const print = { ...wholeWindow, template: 1, scanned: document };
  const window = { ...wholeWindow, to: 2 };
  for (const inner of [[], [print], [print, print, print]])
    expect(splice.print(0, document, { ...window, inner })).toBe('missing');
  expect(splice.print(0, document, { ...window, inner: [print, print] })).toBeNull();
  expect(printed(splice)).toBe('x,x');
  splice.close();
});

describe('memory', () => {
  test('of a large document goes with its splice', () => {
    const splicer = createSplicer();
    const held = (text: string) => {
      const splice = splicer.open(encoded);
      scanned(splice, json({ v: text }));
      const { byteLength } = splice.output().buffer;
      splice.close();
      return byteLength;
    };
    expect(held('x'.repeat(5 * mebibyte))).toBeGreaterThan(maxIdleBytes);
    expect(held('x')).toBeLessThan(maxIdleBytes);
  });

  test('is bounded: what does not fit is refused, and the next document is not', () => {
    const splicer = createSplicer({ maxBytes: 2 * mebibyte });
    const fits = json({ v: 'x'.repeat(1.9 * mebibyte) });
    const uses: readonly ((splice: Splice) => unknown)[] = [
      (splice) => splice.scan(json({ v: 'x'.repeat(2 * mebibyte) })),
      // What is noted of a document can take more than the document.
      (splice) => splice.scan([Buffer.from(`{"v":"${'x'.repeat(mebibyte)}","l":[${'{},'.repeat(49_000)}{}]}`)]),
      (splice) => splice.print(0, scanned(splice, fits), wholeWindow),
      (splice) => splice.print(3, scanned(splice, json({ l: Array(2_000).fill({}) })), wholeWindow),
      (splice) => splice.print(2, scanned(splice, json({})), { ...wholeWindow, parameters: ['x'.repeat(mebibyte)] }),
      (splice) => splice.text('x'.repeat(mebibyte)),
    ];
    for (const use of uses) {
      const splice = splicer.open(encoded);
      expect(use(splice)).toBe('too_large');
      splice.close();
      expectToWork(splicer);
    }
  });

  test('is not left, however little of it is left', () => {
    const tight = createSplicer({ maxBytes: 128 * 1_024 });
    const encoding = encodePlan({
      shape: plan.shape,
      templates: [
        [{ kind: 'leaf', key: 'v', rule: 'string', required: false }],
        [{ kind: 'list', key: 'l', required: false, parts: [{ kind: 'text', text: 'text' }] }],
        [{ kind: 'base64url', key: 'v', prefix: 0, suffix: 'suffix' }],
      ],
    });
    const outcomes = new Set<unknown>();
    const documents: readonly ((size: number) => string)[] = [
      (size) => `{"v":"${'x'.repeat(size)}"}`,
      (size) => `{"v":"${'x'.repeat(size)}`,
      (size) => `{"v":"${'\\n'.repeat(size / 2)}"}`,
      (size) => `{"v":"${'é'.repeat(size / 2)}"}`,
      (size) => `{"v":${'1'.repeat(size)}`,
      (size) => `{"${'k'.repeat(size)}`,
      (size) => `{${' '.repeat(size)}`,
      (size) => `{"l":[${'1,'.repeat(size / 2)}1]}`,
      (size) => `{"l":[${'{},'.repeat(size / 3)}{}]}`,
      (size) => `{"x":[${'{},'.repeat(size / 3)}{}]}`,
    ];
    for (const document of documents) {
      for (let room = 0; room < 120_000; room += 157) {
        const splice = tight.open(encoding);
        const read = splice.scan([Buffer.from(document(room))]);
        if (typeof read === 'string') outcomes.add(read);
        else
          for (const template of [0, 1, 2])
            outcomes.add(splice.print(template, read, { ...wholeWindow, parameters: ['prefix'] }));
        splice.close();
      }
    }
    expect(outcomes).toEqual(new Set([null, 'not_json', 'missing', 'too_large', 'not_expected']));
  });

  test('a plan that does not fit refuses everything', () => {
    const splicer = createSplicer({ maxBytes: 128 * 1_024 });
    const large = encodePlan({ shape: {}, templates: [[{ kind: 'text', text: 'x'.repeat(mebibyte) }]] });
    expectToRefuseAll(splicer.open(large));
    expectToWork(splicer);
  });

  test('that the machine does not have refuses everything', () => {
    const { Memory } = WebAssembly;
    const splicer = createSplicer();
    WebAssembly.Memory = class {
      constructor() {
        throw new RangeError('could not allocate memory');
      }
    } as unknown as typeof Memory;
    try {
      expectToRefuseAll(splicer.open(encoded));
    } finally {
      WebAssembly.Memory = Memory;
    }
    expectToWork(splicer);
  });
});
