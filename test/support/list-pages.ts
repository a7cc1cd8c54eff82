/** Generated pages of lists as the JSON that a service sends: well-formed, odd, and hostile. */
import { z } from 'zod';
import { postListShape } from '../../src/capabilities/posts/shapes.ts';
import { webhookListShape } from '../../src/capabilities/webhooks/shapes.ts';
import { shuffled } from './list-operations.ts';
import { oddTimes } from './odd-times.ts';
import type { Random } from './random.ts';

export interface GeneratedPage {
  readonly body: Buffer;
  /** Whether the page is one that the contract allows, written in any way that JSON allows. */
  readonly wellFormed: boolean;
}

const texts = [
  '',
  'plain',
  'We wrote down what we knew, what we guessed and what we hoped.',
  'quotes " and \\ and / and \b\f\n\r\t and \u0000\u001f\u007f',
  'ünï¢ødé 日本語 😀 \u2028\u2029',
  'a'.repeat(15),
  'b'.repeat(16),
  'c'.repeat(17),
  `${'d'.repeat(31)}"`,
  '__proto__',
] as const;

/** Also of authors, whose own lists are read: so they are few, and none is empty. */
const ids = ['ACo1', 'ACo2', '12345', 'ACo "quoted" \\ é', 'a'.repeat(16)] as const;

const numbers = [0, 1, 42, 640.5, 1_790_000_000_000, 0.073, -7] as const;

const times = [
  '2026-01-31T09:30:00.000Z',
  '2026-12-31T23:59:59Z',
  '1999-02-28T00:00:00.5Z',
  '2024-06-30T12:00:00.123Z',
] as const;

/** Makes a value. */
type Make = (random: Random) => unknown;

/** Makes values that a shape of the contract allows. The shape is read once, as a value is made many times. */
function makerOf(shape: z.core.$ZodType, key = ''): Make {
  if (shape instanceof z.ZodOptional) {
    const make = makerOf(shape.unwrap(), key);
    return (random) => (random.chance(0.5) ? make(random) : random.chance(0.3) ? null : undefined);
  }
  if (shape instanceof z.ZodNullable) {
    const make = makerOf(shape.unwrap(), key);
    return (random) => (random.chance(0.5) ? null : make(random));
  }
  if (shape instanceof z.ZodLiteral) {
    const [value] = shape.values;
    return () => value;
  }
  if (shape instanceof z.ZodEnum) {
    const { options } = shape;
    return (random) => (random.chance(0.9) ? random.pick(options) : 'NEWER_THAN_WE_ARE');
  }
  if (shape instanceof z.ZodObject) return objectMaker(shape);
  if (shape instanceof z.ZodDiscriminatedUnion) {
    const makers = shape.options.map((option) => makerOf(option, key));
    const { discriminator } = shape.def;
    return (random) => {
      const made = random.pick(makers)(random);
      // Posts of a network that is newer than we are cannot be shown.
      const isNewer = discriminator === 'type' && random.chance(0.05);
      return isNewer ? Object.assign(made as object, { type: 'NEWER_THAN_WE_ARE' }) : made;
    };
  }
  if (shape instanceof z.ZodArray) {
    const make = makerOf(shape.element as z.core.$ZodType, key);
    return (random) => Array.from({ length: random.int(4) }, () => make(random));
  }
  if (shape instanceof z.ZodNumber) return (random) => random.pick(numbers);
  if (shape instanceof z.ZodBoolean) return (random) => random.chance(0.5);
  if (key === 'id') return (random) => random.pick(ids);
  return (random) => random.pick(key === 'parsed_datetime' ? times : texts);
}

function objectMaker({ shape }: z.ZodObject): Make {
  const makers = Object.entries(shape).map(([name, inner]) => ({
    name,
    make: makerOf(inner as z.core.$ZodType, name),
  }));
  return (random) => {
    const made: Record<string, unknown> = {};
    for (const { name, make } of makers) {
      const value = make(random);
      if (value !== undefined) made[name] = value;
    }
    return made;
  };
}

const lists = {
  posts: {
    object: 'PostList',
    makeItem: makerOf(postListShape.shape.items.element),
    more: (random: Random, length: number) => ({ paging: { page_count: random.pick([length, 0, 250]) } }),
  },
  webhooks: { object: 'WebhookList', makeItem: makerOf(webhookListShape.shape.items.element), more: () => ({}) },
} as const;

export type ListName = keyof typeof lists;

/** The list at a path of the service. */
export const listAt = (path: string): ListName => (path.includes('/webhooks') ? 'webhooks' : 'posts');

/** What a value must never be, or may be in a service that is newer than we are. */
const oddities: readonly unknown[] = [
  null,
  true,
  7,
  -0,
  1e21,
  1.5e-9,
  Number('12345678901234567890'),
  '5',
  '',
  [],
  {},
  [1],
  [null],
  { a: 1 },
  'not a time',
  '2026-02-30T00:00:00Z',
  '\ud800',
];

/** Replaces or removes values at any depth, each with a probability. */
function spoil(random: Random, value: unknown, probability: number): unknown {
  if (random.chance(probability)) return random.chance(0.7) ? random.pick(oddities) : random.pick(oddTimes)[0];
  if (Array.isArray(value)) return value.map((each) => spoil(random, each, probability));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(() => !random.chance(probability / 2))
      .map(([key, each]) => [key, spoil(random, each, probability)]),
  );
}

/** Where many values are odd, one hides another. */
const spoilt = [0.002, 0.005, 0.03] as const;

const blank = (random: Random): string => (random.chance(0.8) ? '' : random.pick([' ', '\n', '\t', '\r\n  ']));

/** JSON text in a style: with any white space, order of keys and spelling of strings. */
function write(random: Random, value: unknown, style: Style): string {
  const space = () => (style.spaced ? blank(random) : '');
  if (typeof value === 'string') return style.escaped ? escaped(random, value, style) : JSON.stringify(value);
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : number(random, value, style);
  if (Array.isArray(value)) {
    return `[${space()}${value.map((each) => write(random, each, style)).join(`${space()},${space()}`)}${space()}]`;
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = style.shuffled ? shuffled(random, Object.entries(value)) : Object.entries(value);
  const written = entries.map(
    ([key, each]) => `${JSON.stringify(key)}${space()}:${space()}${write(random, each, style)}`,
  );
  if (style.additional && random.chance(0.2)) {
    const added = `"additional":${write(random, random.pick(additions), style)}`;
    written.splice(random.int(written.length + 1), 0, added);
  }
  // The last of two equal keys counts.
  if (style.repeated && entries.length > 0 && random.chance(0.1)) {
    const [key, each] = random.pick(entries);
    const other = write(random, random.chance(0.5) ? random.pick(oddities) : each, style);
    written.unshift(`${JSON.stringify(key)}:${other}`);
  }
  return `{${space()}${written.join(`${space()},${space()}`)}${space()}}`;
}

const additions: readonly unknown[] = [
  1,
  -1.5e3,
  'x"y',
  true,
  null,
  [],
  {},
  [[{ a: [1, { b: '\n' }] }]],
  { text: 'no', id: 5 },
];

interface Style {
  readonly spaced: boolean;
  readonly shuffled: boolean;
  readonly escaped: boolean;
  readonly letters: boolean;
  readonly additional: boolean;
  readonly repeated: boolean;
  /** Numbers as other languages print them: `5.0`, `5e0`. */
  readonly numbers: boolean;
}

function escaped(random: Random, value: string, { letters }: Style): string {
  // Nothing to escape.
  if (!letters && /^[\w .:-]*$/.test(value)) return `"${value}"`;
  const escapedAll = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return `"${[
    ...JSON.stringify(value)
      .slice(1, -1)
      .matchAll(/\\u....|\\.|[\s\S]/g),
  ]
    .map(([char]) => {
      if (char.length > 1) return char;
      if (char === '/') return random.chance(0.5) ? '\\/' : '/';
      // No service escapes letters, but it may.
      return char.charCodeAt(0) > 126 || (letters && random.chance(0.1)) ? escapedAll(char) : char;
    })
    .join('')}"`;
}

function number(random: Random, value: number, { numbers }: Style): string {
  const plain = JSON.stringify(value);
  if (!numbers || random.chance(0.5)) return plain;
  return Number.isInteger(value) && Math.abs(value) < 1e15
    ? random.pick([`${plain}.0`, `${plain}e0`, `${plain}E+0`])
    : plain;
}

/** Cuts, changes or adds bytes. */
function damaged(random: Random, body: Buffer): Buffer {
  const at = random.int(body.length);
  switch (random.int(5)) {
    case 0:
      return body.subarray(0, at);
    case 1:
      return Buffer.concat([body.subarray(0, at), Buffer.from([random.int(256)]), body.subarray(at + 1)]);
    case 2:
      return Buffer.concat([body, Buffer.from(random.pick([' ', '\n', ',', '}', ']', 'null', '\0']))]);
    case 3:
      return Buffer.concat([Buffer.from(random.pick(['\ufeff', ' ', '[', ','])), body]);
    default:
      return Buffer.concat([
        body.subarray(0, at),
        Buffer.from(random.pick(['[', '{', '"', '\\', ',', ':', '0'])),
        body.subarray(at),
      ]);
  }
}

const kinds = ['plain', 'plain', 'well-formed', 'odd', 'hostile'] as const;
export const wellFormedKinds = ['plain', 'well-formed'] as const;

/** The page that a service sends for a request. One that has fewer items than were asked for is the last, as a rule. */
export function generatePage(
  random: Random,
  name: ListName,
  { limit = 100 }: { readonly limit?: number },
  from: readonly (typeof kinds)[number][] = kinds,
): GeneratedPage {
  const kind = random.pick(from);
  const wanted = random.pick([0, 1, 2, 3, 5, 9]);
  const length = kind === 'odd' ? wanted : Math.min(limit, wanted);
  const follows = length >= limit || random.chance(0.01);
  const { object, makeItem, more } = lists[name];
  const items = Array.from({ length }, () => makeItem(random));
  const page = {
    object,
    items,
    cursor: follows ? random.pick([null, 'next', 'naïve "cursor"\n', '']) : null,
    ...more(random, length),
  };
  const style: Style = {
    spaced: kind !== 'plain' && random.chance(0.5),
    shuffled: kind !== 'plain' && random.chance(0.5),
    escaped: kind !== 'plain' && random.chance(0.5),
    letters: kind === 'odd' && random.chance(0.3),
    additional: kind !== 'plain' && random.chance(0.5),
    repeated: kind === 'odd' && random.chance(0.3),
    numbers: kind === 'odd' && random.chance(0.3),
  };
  const text =
    kind === 'plain'
      ? JSON.stringify(page)
      : write(random, kind === 'odd' ? spoil(random, page, random.pick(spoilt)) : page, style);
  const body = Buffer.from(text);
  return {
    body: kind === 'hostile' ? damaged(random, body) : body,
    wellFormed: kind === 'plain' || kind === 'well-formed',
  };
}
