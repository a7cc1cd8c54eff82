import { maxDepth, refusedNotJson, refusedTooDeep } from '../layout.ts';
import { closeBracket, colon, comma, openBrace, openBracket, quote, skipWhitespace } from './characters.ts';
import { refuse } from './refusal.ts';
import { scanScalar } from './scalars.ts';
import { skipString } from './strings.ts';

/**
 * Reads a value that nobody asked for, as strictly as any other. What it stands in is a stack of bits, 1 for an object:
 * that is why documents have 64 levels at most.
 * @param depth how many levels the value stands in
 * @returns the address behind it
 */
export function skipValue(at: usize, depth: u32): usize {
  let levels: u64 = 0;
  let level: u32 = 0;
  while (true) {
    const first = load<u8>(at);
    if (first === quote) {
      at = skipString(at + 1);
      if (at === 0) return 0;
    } else if (first === openBrace || first === openBracket) {
      if (depth + level === maxDepth) return refuse(refusedTooDeep);
      const isObject = first === openBrace;
      levels = (levels << 1) | <u64>isObject;
      level++;
      at = skipWhitespace(at + 1);
      if (load<u8>(at) !== closing(levels)) {
        if (isObject) {
          at = skipKey(at);
          if (at === 0) return 0;
        }
        continue;
      }
      levels >>= 1;
      level--;
      at++;
    } else {
      at = scanScalar(at);
      if (at === 0) return 0;
    }
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
    at = skipWhitespace(at + 1);
    if (levels & 1) {
      at = skipKey(at);
      if (at === 0) return 0;
    }
  }
}

/** The bracket or brace that closes the innermost level: they differ in one bit. */
// @ts-expect-error: decorator
@inline
function closing(levels: u64): u8 {
  return closeBracket | (<u8>(levels & 1) << 5);
}

/** Reads a key and its colon. @returns the address of the value */
// @ts-expect-error: decorator
@inline
function skipKey(at: usize): usize {
  if (load<u8>(at) !== quote) return refuse(refusedNotJson);
  at = skipString(at + 1);
  return at === 0 ? 0 : skipColon(at);
}

/** @returns the address of the value */
// @ts-expect-error: decorator
@inline
export function skipColon(at: usize): usize {
  at = skipWhitespace(at);
  return load<u8>(at) === colon ? skipWhitespace(at + 1) : refuse(refusedNotJson);
}
