import { blockBytes, kindAscii, kindEscaped, kindUnicode, refusedNotJson } from '../layout.ts';
import { block2, block32, block33, block92 } from './blocks.ts';
import { backslash, hexValue, quote } from './characters.ts';
import { refuse } from './refusal.ts';

/** Kind of the last string of {@link scanString}. */
export let stringKind: u32 = 0;

/**
 * Bytes of a block that end plain ASCII, as bits: quotes, backslashes, control characters, and those beyond ASCII. With
 * one bit flipped, the quote follows the control characters; to a signed comparison, bytes beyond ASCII precede them.
 */
@inline
export function asciiStops(block: v128): u32 {
  return i8x16.bitmask(
    v128.or(i8x16.lt_s(v128.xor(block, block2()), block33()), i8x16.eq(block, block92())),
  );
}

/** {@link asciiStops} without bytes beyond ASCII. */
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

/** 0 if it is no escape. */
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

/** More than 0xffff if they are not hexadecimal. */
export function hex4(at: usize): u32 {
  const digits = load<u32>(at);
  const a = hexValue(<u8>digits);
  const b = hexValue(<u8>(digits >> 8));
  const c = hexValue(<u8>(digits >> 16));
  const d = hexValue(<u8>(digits >> 24));
  return (a | b | c | d) > 15 ? 0x10000 : (a << 12) | (b << 8) | (c << 4) | d;
}
