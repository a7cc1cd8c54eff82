/** Plans that cannot be encoded, and what is left of those that are. */
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { ObjectShape, Part } from '../../src/splice/plan.ts';
import { encodePlan } from '../../src/splice/splicer.ts';

const shape: ObjectShape = {
  leaf: 'leaf',
  object: { object: { leaf: 'leaf' } },
  list: { list: { leaf: 'leaf' } },
  leaves: { list: 'leaf' },
};

const wrong: readonly (readonly [string, Part])[] = [
  ['The shape has no key "none"', { kind: 'leaf', key: 'none', rule: 'string', required: true }],
  ['The shape has no key "toString"', { kind: 'object', key: 'toString', required: true, parts: [] }],
  ['Under the key "object" the shape has no leaf', { kind: 'leaf', key: 'object', rule: 'string', required: true }],
  ['Under the key "list" the shape has no leaf', { kind: 'base64url', key: 'list', prefix: 0, suffix: '' }],
  ['Under the key "list" the shape has no leaf', { kind: 'presence', key: 'list' }],
  [
    'Under the key "list" the shape has no object',
    { kind: 'base64url', key: 'leaf', first: { object: 'list', key: 'leaf' }, prefix: 0, suffix: '' },
  ],
  [
    'The shape has no key "none"',
    { kind: 'base64url', key: 'leaf', first: { object: 'object', key: 'none' }, prefix: 0, suffix: '' },
  ],
  ['Under the key "object" the shape has no leaf', { kind: 'switch', key: 'object', cases: {} }],
  ['Under the key "list" the shape has no object', { kind: 'object', key: 'list', required: true, parts: [] }],
  ['Under the key "object" the shape has no list', { kind: 'list', key: 'object', required: true, parts: [] }],
  ['Under the key "leaf" the shape has no list', { kind: 'window', key: 'leaf', parts: [] }],
  ['Under the key "object" the shape has no list', { kind: 'first', key: 'object', required: true, parts: [] }],
  ['Under the key "leaves" the shape has no object', { kind: 'object', key: 'leaves', required: true, parts: [] }],
  ['Under the key "leaves" the shape has no leaf', { kind: 'leaf', key: 'leaves', rule: 'string', required: true }],
  [
    'The shape has no key "leaf"',
    {
      kind: 'list',
      key: 'leaves',
      required: true,
      parts: [{ kind: 'leaf', key: 'leaf', rule: 'string', required: true }],
    },
  ],
  ['A parameter by item stands in no window', { kind: 'itemParameter', index: 0 }],
  ['The text "\\ud800" is not well-formed', { kind: 'text', text: '\ud800' }],
  [
    'The key "a\\nb" cannot be written without escapes',
    { kind: 'leaf', key: 'leaf', rule: { mapping: { 'a\nb': '' }, otherwise: '' }, required: true },
  ],
  ['The key "\\ud800" cannot be written without escapes', { kind: 'switch', key: 'leaf', cases: { '\ud800': [] } }],
];

test.each(wrong)('%s', (message, part) => {
  expect(() => encodePlan({ shape, templates: [[], [part]] })).toThrow(new Error(message));
});

test.each(['"', '\\', '\n', '\ud800'])('the key %j, which JSON writes with escapes', (key) => {
  expect(() => encodePlan({ shape: { [key]: 'leaf' }, templates: [] })).toThrow('cannot be written without escapes');
});

test('item parameters are allowed at any depth of a window, and nowhere else', () => {
  const byItem: Part = { kind: 'itemParameter', index: 0 };
  const plan = (parts: Part[]) => () =>
    encodePlan({ shape: { list: { list: { list: { list: {} }, leaf: 'leaf' } } }, templates: [parts] });
  expect(
    plan([{ kind: 'window', key: 'list', parts: [{ kind: 'list', key: 'list', required: true, parts: [byItem] }] }]),
  ).not.toThrow();
  expect(plan([{ kind: 'list', key: 'list', required: true, parts: [byItem] }])).toThrow('stands in no window');
});

test('an encoded plan has its own bytes and no more', () => {
  const text: Part = { kind: 'text', text: 'x'.repeat(5_000) };
  const { bytes } = encodePlan({ shape, templates: [[text]] });
  expect(bytes.length).toBeGreaterThan(5_000);
  expect(bytes.buffer.byteLength).toBe(bytes.length);
});

test('an encoded plan shares nothing with the plan that it was made of', async () => {
  const make = () => {
    const part: Part = { kind: 'leaf', key: 'leaf', rule: 'string', required: true };
    const own: ObjectShape = { ...shape };
    const plan = { shape: own, templates: [[part]] };
    return { encoded: encodePlan(plan), made: [plan, own, part].map((each) => new WeakRef<object>(each)) };
  };
  const { encoded, made } = make();
  // What a reference was made to lives as long as the job that made it.
  await setImmediate();
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  expect(made.map((each) => each.deref())).toEqual([undefined, undefined, undefined]);
  expect(encoded.templates).toHaveLength(1);
});
