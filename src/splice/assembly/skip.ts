import {
  keyInside,
  keyLength,
  keyNext,
  kindEscaped,
  maxDepth,
  neverKey,
  refusedNotJson,
  refusedTooDeep,
} from '../layout.ts';
import { closeBracket, colon, comma, isDigit, openBrace, openBracket, quote, skipWhitespace } from './characters.ts';
import { isExpected } from './dictionary.ts';
import { learn } from './learned.ts';
import { refuse } from './refusal.ts';
import { scanScalar } from './scalars.ts';
import { shortIntegerEnd, shortStringEnd } from './simple.ts';
import { scanString, stringKind } from './strings.ts';
import { mayHaveMore } from './values.ts';

/** Where {@link unselectedKey} leaves the next key to expect. */
let nextLink: usize = 0;

/**
 * Reads an unselected value, as strictly as any other. Its levels are a stack of bits, 1 for an object: hence at most
 * 64.
 * @param depth levels around the value
 * @param key the record of its key
 * @returns the address behind it
 */
export function skipValue(at: usize, depth: u32, key: usize): usize {
  // Keys are expected in their last order, on whatever levels.
  let link = key + keyInside;
  let levels: u64 = 0;
  let level: u32 = 0;
  while (true) {
    const first = load<u8>(at);
    let isOpened = false;
    if (first === quote) {
      const end = shortStringEnd(at);
      at = end === 0 ? scanString(at + 1) : end;
      if (at === 0) return 0;
    } else if (isDigit(first)) {
      const end = shortIntegerEnd(at, first);
      at = end === 0 ? scanScalar(at) : end;
      if (at === 0) return 0;
    } else if (first === openBrace || first === openBracket) {
      if (depth + level === maxDepth) return refuse(refusedTooDeep);
      if (!mayHaveMore()) return 0;
      levels = (levels << 1) | <u64>(first === openBrace);
      level++;
      at = skipWhitespace(at + 1);
      isOpened = load<u8>(at) !== closing(levels);
    } else {
      at = scanScalar(at);
      if (at === 0) return 0;
    }
    if (!isOpened) {
      // Levels end until there is a comma.
      while (true) {
        if (level === 0) return at;
        at = skipWhitespace(at);
        const byte = load<u8>(at);
        if (byte === comma) break;
        if (byte !== closing(levels)) return refuse(refusedNotJson);
        levels >>= 1;
        level--;
        at++;
      }
      if (!mayHaveMore()) return 0;
      at = skipWhitespace(at + 1);
    }
    if ((levels & 1) === 0) continue;
    const expected: usize = load<u32>(link);
    if (isExpected(at, expected, key)) {
      link = expected + keyNext;
      at = skipWhitespace(at + load<u32>(expected, keyLength) + 1);
    } else {
      at = unselectedKey(at, link, key);
      if (at === 0) return 0;
      link = nextLink;
    }
  }
}

/** Closes the innermost level: `]` and `}` differ in one bit. */
@inline
function closing(levels: u64): u8 {
  return closeBracket | (<u8>(levels & 1) << 5);
}

/** Reads an unexpected key and its colon. @returns the address of the value */
function unselectedKey(start: usize, link: usize, owner: usize): usize {
  // As a rule, objects omit one key at a time.
  const second: usize = load<u32>(load<u32>(link), keyNext);
  if (isExpected(start, second, owner)) {
    nextLink = second + keyNext;
    return skipWhitespace(start + load<u32>(second, keyLength) + 1);
  }
  nextLink = link;
  if (load<u8>(start) !== quote) return refuse(refusedNotJson);
  const at = scanString(start + 1);
  if (at === 0) return 0;
  if (stringKind !== kindEscaped) {
    const key = learn(owner, start, at - start);
    store<u32>(link, <u32>key);
    if (key !== neverKey) nextLink = key + keyNext;
  }
  return skipColon(at);
}

/** @returns the address of the value */
@inline
export function skipColon(at: usize): usize {
  at = skipWhitespace(at);
  return load<u8>(at) === colon ? skipWhitespace(at + 1) : refuse(refusedNotJson);
}
