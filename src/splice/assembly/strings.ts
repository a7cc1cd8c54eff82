import { blockBytes, kindAscii, kindEscaped, kindUnicode, refusedNotJson } from '../layout.ts';
import { block2, block32, block33, block92 } from './blocks.ts';
import { backslash, hexValue, quote } from './characters.ts';
import { refuse } from './refusal.ts';

/** What the string was that {@link scanString} read: one of the kinds of strings. */
export let stringKind: u32 = 0;

/**
 * The bytes of a block at which a string of plain ASCII ends, as bits: quotes, backslashes, control characters, and
 * bytes beyond ASCII. With one bit flipped, the quote comes right behind the control characters; and to a signed
 * comparison what is beyond ASCII comes before them.
 */
@inline
export function asciiStops(block: v128): u32 {
  return i8x16.bitmask(
    v128.or(i8x16.lt_s(v128.xor(block, block2()), block33()), i8x16.eq(block, block92())),
  );
}

/** As {@link asciiStops}, but for bytes beyond ASCII. */
@inline
function stops(block: v128): u32 {
  return i8x16.bitmask(
    v128.or(i8x16.le_u(v128.xor(block, block2()), block32()), i8x16.eq(block, block92())),
  );
}

/** Reads a string from behind its opening quote. @returns the address behind its closing quote */
export function scanString(at: usize): usize {
  stringKind = kindAscii;
  while (true) {
    const found = asciiStops(v128.load(at));
    if (found !== 0) {
      at += ctz(found);
      return load<u8>(at) === quote ? at + 1 : scanOddString(at);
    }
    at += blockBytes;
  }
}

/** Reads on from what is no plain ASCII. */
function scanOddString(at: usize): usize {
  stringKind = load<u8>(at) >= 0x80 ? kindUnicode : kindEscaped;
  while (true) {
    const found = stops(v128.load(at));
    if (found === 0) {
      at += blockBytes;
      continue;
    }
    at += ctz(found);
    const byte = load<u8>(at);
    if (byte === quote) return at + 1;
    if (byte !== backslash) return refuse(refusedNotJson);
    const length = escapeLength(at);
    if (length === 0) return refuse(refusedNotJson);
    stringKind = kindEscaped;
    at += length;
  }
}

/** @returns how many bytes an escape has, or 0 if it is none */
function escapeLength(at: usize): usize {
  switch (load<u8>(at, 1)) {
    case 0x22: // "
    case 0x5c: // \
    case 0x2f: // /
    case 0x62: // b
    case 0x66: // f
    case 0x6e: // n
    case 0x72: // r
    case 0x74: // t
      return 2;
    case 0x75: // u
      return hex4(at + 2) <= 0xffff ? 6 : 0;
    default:
      return 0;
  }
}

/** @returns the value of four hexadecimal digits, or more than 0xffff */
export function hex4(at: usize): u32 {
  const digits = load<u32>(at);
  const a = hexValue(<u8>digits);
  const b = hexValue(<u8>(digits >> 8));
  const c = hexValue(<u8>(digits >> 16));
  const d = hexValue(<u8>(digits >> 24));
  return (a | b | c | d) > 15 ? 0x10000 : (a << 12) | (b << 8) | (c << 4) | d;
}
