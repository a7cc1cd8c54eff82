/** JSON of any size, printed in turns of the event loop: the largest response takes a fifth of a second. */
import { type Turn, weightOfBytes } from './fair-turns.ts';
import { isObject } from './objects.ts';

/** The bytes of a piece, roughly. */
const sliceBytes = 524_288;

/** The least piece, in characters. */
const pieceLength = 65_536;

/** The value as `JSON.stringify` prints it: text if small, else bytes. @param bytes of the JSON, roughly, if counted */
export const printJson = (
  value: unknown,
  turn: Turn | undefined,
  bytes = jsonBytes(value, sliceBytes),
): string | Promise<Uint8Array> => (bytes <= sliceBytes ? JSON.stringify(value) : printInTurns(value, turn));

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
  else if (jsonBytes(value, pieceLength) <= pieceLength) yield JSON.stringify(value);
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
    yield JSON.stringify(text.slice(at, next)).slice(1, -1);
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
    yield `${separator}${JSON.stringify(key)}:`;
    yield* piecesOf(each);
    separator = ',';
  }
  yield separator === '{' ? '{}' : '}';
}

/** Of punctuation around a value, or of a number. */
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
