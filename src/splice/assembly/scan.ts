import {
  blockBytes,
  detailLeaves,
  detailList,
  detailObject,
  frameNext,
  frameSlots,
  keyDetail,
  keyLength,
  keyNext,
  keyShape,
  keyValue,
  kindAscii,
  kindFalse,
  kindList,
  kindNumber,
  kindObject,
  kindOther,
  kindTrue,
  kindUnicode,
  maxDepth,
  neverKey,
  refusedNotExpected,
  refusedNotJson,
  refusedTooDeep,
  shapeDictionary,
  slack,
} from '../layout.ts';
import {
  closeBrace,
  closeBracket,
  comma,
  isDigit,
  isFalse,
  openBrace,
  openBracket,
  quote,
  skipWhitespace,
  wordTrue,
} from './characters.ts';
import { find, isExpected } from './dictionary.ts';
import { learn } from './learned.ts';
import { refusal, refuse } from './refusal.ts';
import { scalarKind, scanScalar } from './scalars.ts';
import { shortIntegerEnd, shortStringEnd } from './simple.ts';
import { skipColon, skipValue } from './skip.ts';
import { scanString, stringKind } from './strings.ts';
import { newEntry, newFrame, note, startTape } from './tape.ts';
import { isUtf8 } from './utf8.ts';
import { mayHaveMore, startCounting } from './values.ts';

/** Behind the key and colon of the last {@link otherKey}. */
let keyEnd: usize = 0;

/** Notes on the tape behind the document where values stand. @returns the frame of the root, or a refusal */
export function scan(shape: usize, start: usize, length: usize): i32 {
  const end = start + length;
  // Zeros stand nowhere in a document, so readers stop there and need no other bound.
  memory.fill(end, 0, slack);
  // The bytes before a document must not look like the start of a character.
  v128.store(start - blockBytes, i64x2.splat(0));
  startCounting();
  const root = startTape(end + slack);
  const first = skipWhitespace(start);
  const isObject = load<u8>(first) === openBrace;
  const at = isObject ? scanRoot(shape, first) : skipValue(first, 0, neverKey);
  if (at === 0) return refusal;
  if (skipWhitespace(at) !== end) return refusedNotJson;
  return isObject ? <i32>root : refusedNotExpected;
}

function scanRoot(shape: usize, start: usize): usize {
  const frame = newFrame(shape);
  return frame === 0 ? 0 : scanObject(start + 1, shape, frame, 1);
}

/** Reads an object from behind its brace into a frame. @returns the address behind it */
function scanObject(at: usize, shape: usize, frame: usize, depth: u32): usize {
  if (!mayHaveMore()) return 0;
  at = skipWhitespace(at);
  if (load<u8>(at) === closeBrace) return at + 1;
  // Objects of a kind have their keys in one order: the key that followed last time is tried first.
  let previous = shape;
  while (true) {
    let key: usize = load<u32>(previous, keyNext);
    if (isExpected(at, key, shape)) {
      at += load<u32>(key, keyLength) + 1;
    } else {
      key = otherKey(at, shape, previous);
      if (key === 0) return 0;
      at = keyEnd;
    }
    previous = key;
    const slot = frame + load<u32>(key, keyValue);
    // Most values are short: no second look.
    const first = load<u8>(at);
    let end: usize = 0;
    if (first === quote) {
      end = shortStringEnd(at);
      note(slot, at, end - at, kindAscii);
    } else if (isDigit(first)) {
      end = shortIntegerEnd(at, first);
      note(slot, at, end - at, kindNumber);
    } else if (load<u32>(at) === wordTrue) {
      end = at + 4;
      note(slot, at, 4, kindTrue);
    } else if (isFalse(at)) {
      end = at + 5;
      note(slot, at, 5, kindFalse);
    }
    if (end === 0) {
      end = scanValue(skipWhitespace(at), key, slot, depth);
      if (end === 0) return 0;
    }
    at = skipWhitespace(end);
    const byte = load<u8>(at);
    if (byte !== comma) return byte === closeBrace ? at + 1 : refuse(refusedNotJson);
    if (!mayHaveMore()) return 0;
    at = skipWhitespace(at + 1);
  }
}

/** Reads an unexpected key and its colon. @returns its record */
function otherKey(start: usize, shape: usize, previous: usize): usize {
  // As a rule, objects omit one key at a time.
  const second: usize = load<u32>(load<u32>(previous, keyNext), keyNext);
  if (isExpected(start, second, shape)) {
    keyEnd = start + load<u32>(second, keyLength) + 1;
    return second;
  }
  if (load<u8>(start) !== quote) return refuse(refusedNotJson);
  const end = scanString(start + 1);
  if (end === 0) return 0;
  if (stringKind !== kindAscii && !isKey(start, end)) return refuse(refusedNotExpected);
  keyEnd = skipColon(end);
  if (keyEnd === 0) return 0;
  const known = find(load<u32>(shape, shapeDictionary), start, end - start);
  const key = known === 0 ? learn(shape, start, end - start) : known;
  store<u32>(previous, <u32>key, keyNext);
  return key;
}

/** A key with escapes or invalid UTF-8 equals none. */
function isKey(start: usize, end: usize): bool {
  return stringKind === kindUnicode && isUtf8(start, end);
}

/** Notes any value in a slot. @returns the address behind it */
function scanValue(start: usize, key: usize, slot: usize, depth: u32): usize {
  const first = load<u8>(start);
  if (first === quote) {
    const at = scanString(start + 1);
    note(slot, start, at - start, stringKind);
    return at;
  }
  if (first === openBrace || first === openBracket) {
    const detail = load<u32>(key, keyDetail);
    const shape: usize = load<u32>(key, keyShape);
    if (depth === maxDepth) return refuse(refusedTooDeep);
    if (first === openBrace) {
      if (detail === detailObject) return scanInner(start + 1, shape, slot, depth + 1);
    } else if (detail === detailList) {
      return scanList(start + 1, shape, slot, depth + 1, false);
    } else if (detail === detailLeaves) {
      return scanList(start + 1, shape, slot, depth + 1, true);
    }
    note(slot, start, 0, kindOther);
    return skipValue(start, depth, key);
  }
  const at = scanScalar(start);
  note(slot, start, at - start, scalarKind);
  return at;
}

/** Reads the object under a key from behind its brace, with a frame of its own. @returns the address behind it */
function scanInner(at: usize, shape: usize, slot: usize, depth: u32): usize {
  const frame = newFrame(shape);
  if (frame === 0) return 0;
  note(slot, frame, 0, kindObject);
  return scanObject(at, shape, frame, depth);
}

/** Reads a list from behind its bracket, with a frame for each entry. @returns the address behind it */
function scanList(at: usize, shape: usize, slot: usize, depth: u32, ofLeaves: bool): usize {
  let first: usize = 0;
  let previous: usize = 0;
  let count: usize = 0;
  if (!mayHaveMore()) return 0;
  at = skipWhitespace(at);
  if (load<u8>(at) === closeBracket) {
    note(slot, 0, 0, kindList);
    return at + 1;
  }
  while (true) {
    const isObject = load<u8>(at) === openBrace;
    if (isObject && depth === maxDepth) return refuse(refusedTooDeep);
    const frame = isObject || ofLeaves ? newFrame(shape) : newEntry();
    if (frame === 0) return 0;
    if (previous === 0) first = frame;
    else store<u32>(previous, <u32>frame, frameNext);
    previous = frame;
    count++;
    if (ofLeaves) at = scanValue(at, neverKey, frame + frameSlots, depth);
    else at = isObject ? scanObject(at + 1, shape, frame, depth + 1) : skipValue(at, depth, neverKey);
    if (at === 0) return 0;
    at = skipWhitespace(at);
    const byte = load<u8>(at);
    if (byte === comma) {
      if (!mayHaveMore()) return 0;
      at = skipWhitespace(at + 1);
    } else if (byte === closeBracket) {
      note(slot, first, count, kindList);
      return at + 1;
    } else return refuse(refusedNotJson);
  }
}
