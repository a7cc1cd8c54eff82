import { blockBytes } from '../layout.ts';

/**
 * Whether a string is UTF-8, as decoders check it: no surrogates, no overlong forms. The string comes with its quotes, so
 * that no character goes beyond its end.
 */
export function isUtf8(at: usize, end: usize): bool {
  while (at < end) {
    const high = i8x16.bitmask(v128.load(at));
    if (high === 0) {
      at += blockBytes;
      continue;
    }
    at += ctz(high);
    if (at >= end) return true;
    const length = sequenceLength(at);
    if (length === 0) return false;
    at += length;
  }
  return true;
}

/** How many bytes a character has that is not ASCII, or 0 if it is none. */
function sequenceLength(at: usize): usize {
  const first = load<u8>(at);
  const second = load<u8>(at, 1);
  if (first < 0xe0) return first >= 0xc2 && isContinuation(second) ? 2 : 0;
  const isThird = isContinuation(load<u8>(at, 2));
  if (first < 0xf0) {
    const from: u8 = first === 0xe0 ? 0xa0 : 0x80;
    const to: u8 = first === 0xed ? 0x9f : 0xbf;
    return second >= from && second <= to && isThird ? 3 : 0;
  }
  const from: u8 = first === 0xf0 ? 0x90 : 0x80;
  const to: u8 = first === 0xf4 ? 0x8f : 0xbf;
  return first < 0xf5 && second >= from && second <= to && isThird && isContinuation(load<u8>(at, 3)) ? 4 : 0;
}

// @ts-expect-error: decorator
@inline
function isContinuation(byte: u8): bool {
  return (byte & 0xc0) === 0x80;
}
