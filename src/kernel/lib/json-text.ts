/** JSON as text: parsed within limits, and printed in turns, as the largest response takes a fifth of a second. */
import { malformedRequest, ServiceError } from '../errors.ts';
import { type Turn, weightOfBytes } from './fair-turns.ts';
import { isObject } from './objects.ts';

/**
 * Fields of all objects in a body; a large request has a thousand. Parsing a megabyte of distinct fields takes a
 * quarter of a second, each copy of the object a tenth.
 */
export const maxJsonFields = 20_000;

/**
 * Entries of all lists in a GraphQL request, as many as a document has room for: coercing, checking and copying a
 * megabyte of them takes a third of a second, before a list of 250 at most is refused. An empty list counts as one.
 */
export const maxJsonEntries = 10_000;

/** Up to this length no text is dear to parse, or has as many fields or entries. */
const shortText = 16_384;

/**
 * Reads a text ahead of the parser, up to the first thing too many: a megabyte of brackets takes it a third of a second.
 * @throws ServiceError `content_too_large` (fields), `limit_too_high` (entries), `malformed_request` (levels)
 */
export function requireReasonable(text: string, what: string, entriesLimit = Number.POSITIVE_INFINITY): void {
  if (text.length <= shortText) return;
  const isList: boolean[] = [];
  let levels = 0;
  let fields = 0;
  let entries = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case codes.quote:
        at = endOfString(text, at);
        break;
      case codes.colon:
        fields += 1;
        if (fields > maxJsonFields) throw tooManyFields();
        break;
      case codes.comma:
        if (isList[levels] !== true) break;
        entries += 1;
        if (entries > entriesLimit) throw tooManyEntries(entriesLimit);
        break;
      case codes.list:
        levels += 1;
        isList[levels] = true;
        entries += 1;
        if (entries > entriesLimit) throw tooManyEntries(entriesLimit);
        break;
      case codes.object:
        levels += 1;
        isList[levels] = false;
        break;
      case codes.listEnd:
      case codes.objectEnd:
        levels = Math.max(0, levels - 1);
        break;
    }
    // A message has its request one level deeper.
    if (levels > maxJsonDepth + 1) throw tooDeep(what);
  }
}

const codes = {
  quote: 0x22,
  comma: 0x2c,
  colon: 0x3a,
  list: 0x5b,
  listEnd: 0x5d,
  object: 0x7b,
  objectEnd: 0x7d,
} as const;

const tooManyFields = () =>
  new ServiceError('content_too_large', { detail: `A request body can have at most ${maxJsonFields} fields.` });

const tooManyEntries = (limit: number) =>
  new ServiceError('limit_too_high', { detail: `A request can have at most ${limit} entries in its lists.` });

export const tooDeep = (what: string): ServiceError =>
  malformedRequest(`${what} is nested more than ${maxJsonDepth} levels deep.`);

export function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}

/** Levels of objects and lists, as stores and services may recurse into them; the contract comes nowhere near. */
export const maxJsonDepth = 64;

/** Whether a value has at most {@link maxJsonDepth} levels. */
export const isShallow = (value: unknown): boolean => isWithin(maxJsonDepth, value);

function isWithin(levels: number, value: unknown): boolean {
  if (!isNested(value)) return true;
  if (levels === 0) return false;
  if (Array.isArray(value)) return value.every((each) => isWithin(levels - 1, each));
  for (const key in value) if (!isWithin(levels - 1, value[key])) return false;
  return true;
}

const isNested = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const utf8 = new TextDecoder('utf-8', { fatal: true });

export function decodeText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw malformedRequest('The body is not encoded as UTF-8.');
  }
}

/** @param what names the text. @throws ServiceError `malformed_request`, or as {@link requireReasonable} */
export function parseJson(text: string, what = 'The body', entriesLimit?: number): unknown {
  requireReasonable(text, what, entriesLimit);
  const value = parseText(text, what);
  // Only escapes can yield one, as the bytes are UTF-8.
  if (escapedSurrogate.test(text) && !isWellFormed(value)) {
    throw malformedRequest(`${what} has a lone surrogate, which is no character.`);
  }
  return value;
}

function parseText(text: string, what: string): unknown {
  if (text.trim() === '') throw malformedRequest(`${what} is empty: send a JSON object.`);
  try {
    return mayLoseDigits(text) ? JSON.parse(text, noteDigits as ReviverOfValues) : JSON.parse(text);
  } catch {
    // The parser's own message repeats parts of the body.
    throw malformedRequest(`${what} is not valid JSON.`);
  }
}

const escapedSurrogate = /\\ud[89a-f]/i;

/** A lone surrogate would reach a database or a service as U+FFFD. */
function isWellFormed(value: unknown): boolean {
  const open = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === 'string' && !next.isWellFormed()) return false;
    if (typeof next !== 'object' || next === null) continue;
    for (const each of Array.isArray(next) ? next : Object.entries(next).flat()) open.push(each);
  }
  return true;
}

/** Parses JSON of others. Half of a surrogate pair in a text becomes U+FFFD. */
export function parseWellFormed(text: string, reviver?: Reviver): unknown {
  const value: unknown = JSON.parse(text, reviver as ReviverOfValues);
  return !escapedSurrogate.test(text) || isWellFormed(value) ? value : toWellFormed(value);
}

/** Keys, too: whoever reads the JSON would refuse the whole. */
function toWellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(toWellFormed);
  if (!isNested(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key.toWellFormed(), toWellFormed(each)]));
}

/** `JSON.stringify`, but a lone surrogate, which most readers refuse even if it is escaped, becomes U+FFFD. */
export function stringify(value: unknown): string {
  const text = JSON.stringify(value);
  // All others are printed as characters.
  return text?.includes('\\ud') ? text.replaceAll(/(?<!\\)((?:\\\\)*)\\ud[89a-f][\da-f]{2}/g, '$1\ufffd') : text;
}

/** As Node.js calls it: with a number as it is written. */
type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;
type ReviverOfValues = (key: string, value: unknown) => unknown;

const { rawJSON } = JSON as JSON & { rawJSON(text: string): object };

/** A number of 16 digits or more, or with an exponent. */
const lossy = /[:[,\s]-?[\d.]+(?:(?<=[\d.]{16})|[eE])/;

/** Its end, also in a string: digits are rarer than what stands before them. */
const lossyEnd = /\d(?:[\d.]{15}|[eE])/;

const mayLoseDigits = (text: string): boolean => lossyEnd.test(text) && lossy.test(text);

/** As written, by list or object, and by key: of numbers that are none of JavaScript's. */
const writtenNumbers = new WeakMap<object, Map<string, string>>();

/** Keeps the digits of a number in JSON for {@link withDigits}, if its value is another one. */
export function noteNumber(holder: object, key: string, value: unknown, written: string): void {
  if (typeof value !== 'number' || decimalOf(written) === decimalOf(String(value))) return;
  const noted = writtenNumbers.get(holder) ?? new Map<string, string>();
  writtenNumbers.set(holder, noted.set(key, written));
}

function noteDigits(this: object, key: string, value: unknown, { source }: { readonly source?: string }): unknown {
  if (source !== undefined) noteNumber(this, key, value, source);
  return value;
}

/** Its sign, its digits without zeros around them, and the exponent of the last one. */
function decimalOf(number: string): string {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(number) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const telling = digits.replace(/(?<!0)0+$/, '');
  if (telling === '') return whole === '' ? number : '0';
  return `${sign}${telling}e${Number(exponent) - fraction.length + digits.length - telling.length}`;
}

/** Databases read no number of any length. */
const maxNumberLength = 1_000;

/**
 * Puts numbers into a value as they were written, for `JSON.stringify` alone.
 * @returns the first that no double comes near, or that is too long
 */
export function withDigits(value: unknown): string | undefined {
  const open = isNested(value) ? [value] : [];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const [key, written] of writtenNumbers.get(next) ?? []) {
      const near = Number(written);
      if (!Number.isFinite(near) || near === 0 || written.length > maxNumberLength) return written;
      Reflect.set(next, key, rawJSON(written));
    }
    for (const key in next) if (isNested(next[key])) open.push(next[key]);
  }
  return undefined;
}

/** Parses JSON that {@link withDigits} went into. */
export function parseWithDigits(text: string): unknown {
  if (!mayLoseDigits(text)) return JSON.parse(text);
  const value: unknown = JSON.parse(text, noteDigits as ReviverOfValues);
  withDigits(value);
  return value;
}

/** The bytes of a piece, roughly. */
const sliceBytes = 524_288;

/** The least piece, in characters. */
const pieceLength = 65_536;

/** The value as `JSON.stringify` prints it: text if small, else bytes. @param bytes of the JSON, roughly, if counted */
export const printJson = (
  value: unknown,
  turn: Turn | undefined,
  bytes = jsonBytes(value, sliceBytes),
): string | Promise<Uint8Array> => (bytes <= sliceBytes ? stringify(value) : printInTurns(value, turn));

async function printInTurns(value: unknown, turn: Turn | undefined): Promise<Uint8Array> {
  const printed: Buffer[] = [];
  let text = '';
  let left = 0;
  for (const piece of piecesOf(value)) {
    if (left <= 0) {
      await turn?.(weightOfBytes(sliceBytes));
      left = sliceBytes;
    }
    text += piece;
    left -= piece.length;
    if (text.length < pieceLength) continue;
    printed.push(Buffer.from(text));
    text = '';
  }
  printed.push(Buffer.from(text));
  return Buffer.concat(printed);
}

function* piecesOf(value: unknown): Generator<string, void, undefined> {
  if (typeof value === 'string') yield* piecesOfText(value);
  else if (hasJson(value)) yield* piecesOf(value.toJSON());
  else if (jsonBytes(value, pieceLength) <= pieceLength) yield stringify(value);
  else if (Array.isArray(value)) yield* piecesOfList(value);
  else yield* piecesOfObject(Object(value));
}

/** As errors of GraphQL have. */
const hasJson = (value: unknown): value is { toJSON(): unknown } =>
  typeof value === 'object' && value !== null && 'toJSON' in value && typeof value.toJSON === 'function';

function* piecesOfText(text: string): Generator<string, void, undefined> {
  yield '"';
  for (let at = 0; at < text.length; ) {
    const end = at + pieceLength;
    // Keeps both halves of a surrogate pair together.
    const next = isHigh(text.charCodeAt(end - 1)) ? end + 1 : end;
    yield stringify(text.slice(at, next)).slice(1, -1);
    at = next;
  }
  yield '"';
}

const isHigh = (codeUnit: number): boolean => codeUnit >= 0xd800 && codeUnit <= 0xdbff;

function* piecesOfList(list: readonly unknown[]): Generator<string, void, undefined> {
  yield '[';
  for (const [at, each] of list.entries()) {
    if (at > 0) yield ',';
    yield* piecesOf(each ?? null);
  }
  yield ']';
}

function* piecesOfObject(object: Readonly<Record<string, unknown>>): Generator<string, void, undefined> {
  let separator = '{';
  for (const [key, each] of Object.entries(object)) {
    if (each === undefined) continue;
    yield `${separator}${stringify(key)}:`;
    yield* piecesOf(each);
    separator = ',';
  }
  yield separator === '{' ? '{}' : '}';
}

/** Bytes of punctuation around a value, or of a number. */
const bytesOfOther = 8;

/** Bytes as JSON, roughly: escapes are not counted. Stops at the limit. No recursion: events nest deeply. */
export function jsonBytes(value: unknown, limit: number): number {
  let bytes = 0;
  const open: unknown[] = [value];
  while (open.length > 0 && bytes <= limit) {
    const next = open.pop();
    if (typeof next === 'string') {
      bytes += Buffer.byteLength(next) + 3;
    } else if (Array.isArray(next)) {
      bytes += next.length;
      for (const each of next) open.push(each);
    } else if (isObject(next)) {
      // `Object.entries` would allocate more than the value itself.
      for (const key in next) {
        bytes += key.length + 4;
        open.push(next[key]);
      }
    } else {
      bytes += bytesOfOther;
    }
  }
  return bytes;
}
