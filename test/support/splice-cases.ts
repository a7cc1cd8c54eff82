/** Plans and documents for the splicer, made of choices. */
import { itself, type ObjectShape, type Part, type SplicePlan, type ValueShape } from '../../src/splice/plan.ts';
import type { PrintOptions } from '../../src/splice/splicer.ts';
import type { Choices } from './choices.ts';
import { oddTimes } from './odd-times.ts';

/** Keys of all lengths around those of a block, and some that JavaScript has its own idea of. */
const keys = [
  'id',
  'name',
  'a',
  'text_of_13_ch',
  'text_of_14_cha',
  'text_of_15_char',
  'text_of_30_characters_in_a_key',
  'text_of_31_characters_in_a_key!',
  'text_of_48_characters_in_a_key_that_is_very_long',
  'text_of_48_characters_in_a_key_that_is_very_lonG',
  'müller',
  '鍵',
  '',
  '__proto__',
  'constructor',
  'toString',
  'name2',
  '7',
];

const words = ['LIKE', 'a word of fifteen', 'ä', '', 'exactly 14 cha'];

const strings = [
  'plain',
  '',
  'fourteen chars',
  'exactly fifteen',
  'sixteen chars ok',
  'a text that is longer than one block, and longer than two blocks',
  'quote " backslash \\ slash /',
  'line\nfeed\ttab\rreturn\bback\fform',
  '\u0000\u0001\u001f\u007f',
  'é',
  'größer als ASCII — viel größer, wenn man genau hinsieht',
  '語彙',
  '😀 and 👩‍👩‍👧',
  '\ud800',
  '\udc00\ud83d',
  '\ud83d\ud83d\ude00',
  '\ud83dA\ud83d\ue000',
  '\u2028\ufffd\uffff',
  ...words,
];

const instants = [
  '2026-01-31T23:59:59Z',
  '0001-12-01T00:00:00.1Z',
  '9999-04-30T12:34:56.78Z',
  '2026-02-28T00:00:00.000Z',
  '0000-01-01T00:00:00Z',
  '2026-02-29T00:00:00Z',
  '2024-02-29T00:00:00Z',
  '2026-04-31T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-00-01T00:00:00Z',
  '2026-01-00T00:00:00Z',
  '2026-01-01T24:00:00Z',
  '2026-01-01T00:60:00Z',
  '2026-01-01T00:00:60Z',
  '2026-01-01T00:00:00',
  '2026-01-01T00:00:00.Z',
  '2026-01-01T00:00:00.1234Z',
  '2026-01-01T00:00:00+00:00',
  '2026-01-01 00:00:00Z',
  ...oddTimes.map(([sent]) => sent),
];

/** As JSON.stringify writes them. */
const plainNumbers = ['0', '1', '-1', '42', '999999999', '123456789012345', '-123456789012345', '0.5', '-0.25', '1.5'];
const plainDecimals = ['0.000001', '0.00000123', '12345.6789012345', '99999999999999.9', '-0.0734'];
/** JSON all the same. */
const oddNumbers = [
  '-0',
  '1.0',
  '1.50',
  '1e5',
  '1E-7',
  '0.0000001',
  '1234567890123456',
  '12345678901234567890',
  '1e400',
];
const moreOddNumbers = ['9007199254740993', '0.1234567890123456', '0.0', '1e+2', '-0.0', '5e-324'];

/** A template, with what its leaves are expected to be. */
interface Use {
  readonly rule: 'string' | 'number' | 'integer' | 'boolean' | 'instant' | 'mapping';
}

/** What the parts of a plan do with each key of a shape: the documents are made to please them most of the time. */
type Uses = Map<ObjectShape, Map<string, Use['rule']>>;

export interface SpliceCase {
  readonly plan: SplicePlan;
  readonly uses: Uses;
}

export function makePlan(choices: Choices): SpliceCase {
  const uses: Uses = new Map();
  const shape = makeShape(choices, 3, uses);
  // The more a template prints, the more often it is refused as a whole: so there are small ones too.
  const templates = [12, 6, 3, 2].map((most) => makeParts(choices, shape, uses, false, 3, most));
  return { plan: { shape, templates }, uses };
}

function makeShape(choices: Choices, depth: number, uses: Uses): ObjectShape {
  const own = new Map<string, Use['rule']>();
  const makeEntry = (): [string, ValueShape] => {
    const key = choices.pick(keys);
    own.set(key, choices.pick(['string', 'number', 'integer', 'boolean', 'instant', 'mapping']));
    if (depth === 0 || choices.below(2) === 0) return [key, 'leaf'];
    if (choices.oneIn(4)) return [key, { list: 'leaf' }];
    const inside = makeShape(choices, depth - 1, uses);
    return [key, choices.below(2) === 0 ? { object: inside } : { list: inside }];
  };
  const entries = choices.list(7, makeEntry, depth === 3 ? 2 : 0);
  const shape: ObjectShape = Object.fromEntries(entries);
  uses.set(shape, own);
  return shape;
}

function makeParts(
  choices: Choices,
  shape: ObjectShape,
  uses: Uses,
  inWindow: boolean,
  depth: number,
  most = 5,
): Part[] {
  const own = Object.entries(shape);
  const makePart = (): Part => {
    const text: Part = {
      kind: 'text',
      text: choices.pick(['', ',', '"é":', '{"a key of some length":', 'x'.repeat(33)]),
    };
    switch (choices.below(12)) {
      case 0:
        return text;
      case 1:
        return { kind: 'parameter', index: choices.below(3) };
      case 2:
        return inWindow ? { kind: 'itemParameter', index: choices.below(2) } : text;
      default: {
        if (own.length === 0) return text;
        const [key, value] = choices.pick(own);
        return value === 'leaf'
          ? makeLeafPart(choices, key, shape, uses, inWindow, depth)
          : makeInnerPart(choices, key, value, shape, uses, inWindow, depth);
      }
    }
  };
  return choices.list(most, makePart, most > 1 ? 1 : 0);
}

/** A leaf of an object of the shape, if there is one. */
function pickFirst(choices: Choices, shape: ObjectShape) {
  const leaves = Object.entries(shape).flatMap(([object, value]) => {
    if (value === 'leaf' || !('object' in value)) return [];
    return Object.keys(value.object).flatMap((key) => (value.object[key] === 'leaf' ? [{ object, key }] : []));
  });
  return choices.below(2) === 0 || leaves.length === 0 ? undefined : choices.pick(leaves);
}

function makeLeafPart(
  choices: Choices,
  key: string,
  shape: ObjectShape,
  uses: Uses,
  inWindow: boolean,
  depth: number,
): Part {
  const rule = uses.get(shape)?.get(key) as Use['rule'];
  const required = choices.oneIn(8);
  if (rule === 'string' && choices.oneIn(6)) return { kind: 'presence', key };
  if (rule === 'string' && depth > 0 && choices.oneIn(4)) {
    const [parts, otherwise] = [0, 1].map(() => makeParts(choices, shape, uses, inWindow, depth - 1)) as [
      Part[],
      Part[],
    ];
    return { kind: 'choice', key, parts, otherwise };
  }
  if (rule === 'string' && choices.oneIn(3)) {
    const suffix = choices.pick(['', '}', 'ü"', '123']);
    return { kind: 'base64url', key, first: pickFirst(choices, shape), prefix: choices.below(2), suffix };
  }
  if (rule !== 'mapping') return { kind: 'leaf', key, rule, required };
  const some = words.filter(() => choices.below(2) === 0);
  if (depth === 0 || choices.below(2) === 0) {
    const entries = some.map((word) => [word, choices.pick(['"KNOWN"', '1', '', '"a rather long word, as words go"'])]);
    return {
      kind: 'leaf',
      key,
      rule: {
        mapping: Object.fromEntries(entries),
        otherwise: choices.pick(['"UNKNOWN"', '', 'null', choices.oneIn(3) ? null : '0']),
      },
      required,
    };
  }
  // A word without a case is refused, so that nothing else of the document is compared.
  const known = choices.oneIn(3) ? some : words;
  const cases = known.map((word) => [word, makeParts(choices, shape, uses, inWindow, depth - 1)]);
  return { kind: 'switch', key, cases: Object.fromEntries(cases) };
}

function makeInnerPart(
  choices: Choices,
  key: string,
  value: Exclude<ValueShape, 'leaf'>,
  shape: ObjectShape,
  uses: Uses,
  inWindow: boolean,
  depth: number,
): Part {
  const required = choices.oneIn(8);
  if (depth === 0) return { kind: 'text', text: '0' };
  if ('object' in value) {
    return { kind: 'object', key, required, parts: makeParts(choices, value.object, uses, inWindow, depth - 1) };
  }
  const entry = value.list === 'leaf' ? leafEntry(uses, uses.get(shape)?.get(key) as Use['rule']) : value.list;
  if (choices.oneIn(4)) {
    return { kind: 'first', key, required, parts: makeParts(choices, entry, uses, inWindow, depth - 1) };
  }
  return choices.below(2) === 0
    ? { kind: 'list', key, required, parts: makeParts(choices, entry, uses, inWindow, depth - 1) }
    : { kind: 'window', key, parts: makeParts(choices, entry, uses, true, depth - 1) };
}

/** An entry of a list of leaves, as an object that has it. */
function leafEntry(uses: Uses, rule: Use['rule']): ObjectShape {
  const shape: ObjectShape = { [itself]: 'leaf' };
  uses.set(shape, new Map([[itself, rule]]));
  return shape;
}

export function makePrintOptions(choices: Choices): PrintOptions {
  const text = () => choices.pick(['"given"', '{}', '', '"gegebener längerer Text, der nicht kurz ist"', '17']);
  const from = choices.below(3);
  return {
    from,
    to: from + choices.below(5),
    parameters: [text(), text(), ...choices.list(1, text)],
    itemParameters: [Array.from({ length: 4 }, text), ...choices.list(1, () => choices.list(4, text))],
  };
}

export interface MadeDocument {
  readonly bytes: Buffer;
  /** Whether the splicer must print whatever can be printed of it. */
  readonly isUsual: boolean;
}

/** A document of a shape, as strange as JSON allows. */
export function makeDocument(choices: Choices, { plan, uses }: SpliceCase): MadeDocument {
  const writer = new DocumentWriter(choices, uses);
  const bytes = Buffer.from(writer.object(plan.shape, 4));
  return { bytes, isUsual: writer.isUsual };
}

class DocumentWriter {
  isUsual = true;
  readonly #choices: Choices;
  readonly #uses: Uses;
  /** Whether it has white space, and keys in another order than the shape has them. */
  readonly #isLoose: boolean;

  constructor(choices: Choices, uses: Uses) {
    this.#choices = choices;
    this.#uses = uses;
    this.#isLoose = choices.oneIn(2);
  }

  object(shape: ObjectShape, depth: number): string {
    const choices = this.#choices;
    const members: string[] = [];
    const add = (key: string, value: string) => {
      const member = `${this.#key(key)}${this.#space()}:${this.#space()}${value}`;
      if (this.#isLoose) members.splice(choices.below(members.length + 1), 0, member);
      else members.push(member);
    };
    for (const [key, value] of Object.entries(shape)) {
      while (choices.oneIn(5)) add(choices.pick(keys.filter((other) => !Object.hasOwn(shape, other))), this.any(depth));
      if (choices.oneIn(6)) continue;
      add(key, this.#value(shape, key, value, depth));
      if (choices.oneIn(8)) add(key, this.#value(shape, key, value, depth));
    }
    return this.#joined('{', members, '}');
  }

  /** Any value at all. */
  any(depth: number): string {
    const choices = this.#choices;
    switch (choices.below(depth > 0 ? 7 : 5)) {
      case 0:
        return 'null';
      case 1:
        return choices.pick(['true', 'false']);
      case 2:
        return choices.pick([...plainNumbers, ...plainDecimals, ...oddNumbers, ...moreOddNumbers]);
      case 3:
      case 4:
        return this.#string(choices.pick(strings));
      case 5:
        return this.#joined(
          '{',
          choices.list(3, () => `${this.#string(choices.pick(keys))}${this.#space()}:${this.any(depth - 1)}`),
          '}',
        );
      default:
        return this.#joined(
          '[',
          choices.list(3, () => this.any(depth - 1)),
          ']',
        );
    }
  }

  #value(shape: ObjectShape, key: string, value: ValueShape, depth: number): string {
    const choices = this.#choices;
    if (choices.oneIn(12)) return 'null';
    if (choices.oneIn(30)) {
      // Something that is not expected here, and may be odd.
      this.isUsual = false;
      return this.any(depth);
    }
    if (value === 'leaf') return this.#leaf(this.#uses.get(shape)?.get(key) as Use['rule']);
    if ('object' in value) return this.object(value.object, depth - 1);
    const { list } = value;
    const entry = () => {
      if (choices.oneIn(40)) return this.#entryOfAnyKind();
      if (list !== 'leaf') return this.object(list, depth - 1);
      return choices.oneIn(12) ? 'null' : this.#leaf(this.#uses.get(shape)?.get(key) as Use['rule']);
    };
    return this.#joined('[', choices.list(4, entry), ']');
  }

  #entryOfAnyKind(): string {
    this.isUsual = false;
    return this.any(1);
  }

  #leaf(rule: Use['rule']): string {
    const choices = this.#choices;
    switch (rule) {
      case 'string':
        return this.#string(choices.pick(strings));
      case 'boolean':
        return choices.pick(['true', 'false']);
      case 'number':
        if (!choices.oneIn(16)) return choices.pick(choices.below(2) === 0 ? plainNumbers : plainDecimals);
        this.isUsual = false;
        return choices.pick([...oddNumbers, ...moreOddNumbers]);
      case 'integer':
        if (!choices.oneIn(16)) return choices.pick(plainNumbers);
        this.isUsual = false;
        return choices.pick([...plainDecimals, ...oddNumbers, ...moreOddNumbers]);
      case 'instant':
        // A number is a time too.
        if (choices.oneIn(4)) return choices.pick(plainNumbers);
        // Mostly one of the first, which are well-formed.
        return JSON.stringify(choices.pick(choices.oneIn(16) ? instants : instants.slice(0, 4)));
      case 'mapping': {
        const word = choices.pick(choices.oneIn(8) ? strings : words);
        const text = choices.oneIn(16) ? this.#string(word) : JSON.stringify(word);
        if (text.includes('\\')) this.isUsual = false;
        return text;
      }
      default:
        return rule satisfies never;
    }
  }

  #key(key: string): string {
    if (!this.#choices.oneIn(60)) return JSON.stringify(key);
    const text = this.#string(key);
    if (text.includes('\\')) this.isUsual = false;
    return text;
  }

  /** A string with some characters written as escapes that need not be. */
  #string(value: string): string {
    const canonical = JSON.stringify(value);
    if (!this.#choices.oneIn(4)) return canonical;
    const escaped = [...value].map((character) => {
      if (character === '/') return this.#choices.pick(['/', '\\/']);
      const mustBe = character < ' ' || character === '"' || character === '\\' || !character.isWellFormed();
      return mustBe || this.#choices.below(2) === 0 ? this.#escape(character) : character;
    });
    return `"${escaped.join('')}"`;
  }

  #escape(character: string): string {
    const units = character.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'));
    const isUpper = this.#choices.below(2) === 0;
    return units.map((digits) => `\\u${isUpper ? digits.toUpperCase() : digits}`).join('');
  }

  #joined(open: string, parts: readonly string[], close: string): string {
    return `${open}${this.#space()}${parts.join(`${this.#space()},${this.#space()}`)}${this.#space()}${close}`;
  }

  #space(): string {
    return this.#isLoose ? this.#choices.pick(['', '', '', ' ', '\n', '\t', '\r\n  ']) : '';
  }
}

const tokens = [
  '"',
  '\\',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '0',
  '-',
  '.',
  'e',
  'null',
  'true',
  '\\u',
  '\\ud83d',
  ' ',
  'é',
];

/** Damages a document. */
export function mutate(choices: Choices, bytes: Buffer): Buffer {
  const kind = choices.below(7);
  const at = kind < 5 ? anyPlace(choices, bytes) : placeOfBracket(choices, bytes);
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
  switch (kind) {
    case 0:
      return before;
    case 1:
      return Buffer.concat([before, after.subarray(1 + choices.below(3))]);
    case 2:
      return Buffer.concat([before, Buffer.from([choices.below(256)]), after.subarray(1)]);
    case 3:
      return Buffer.concat([before, Buffer.from(choices.pick(tokens)), after]);
    case 4:
      return Buffer.concat([before, after.subarray(0, choices.below(64)), after]);
    case 5:
      return Buffer.concat([before, Buffer.from(choices.pick(tokens)), after.subarray(1)]);
    default:
      // A bracket becomes a brace, and a brace a bracket.
      return Buffer.concat([before, Buffer.from([(after[0] ?? 0) ^ 0x20]), after.subarray(1)]);
  }
}

const anyPlace = (choices: Choices, bytes: Buffer): number => Math.floor(choices.fraction() * bytes.length);

function placeOfBracket(choices: Choices, bytes: Buffer): number {
  const places = [...bytes.keys()].filter((at) => '{}[]'.includes(String.fromCharCode(bytes[at] as number)));
  return places[Math.floor(choices.fraction() * places.length)] ?? 0;
}
