import { blockBytes, kindAscii, kindEscaped, kindUnicode, refusedNotJson } from '../layout.ts';
import { backslash, hexValue, quote } from './characters.ts';
import { refuse } from './refusal.ts';

/** What the string was that {@link scanString} read: one of the kinds of strings. */
export let stringKind: u32 = 0;

/** The bytes of a block that end a run of plain characters (a quote, a backslash, a control character), as bits. */
// @ts-expect-error: decorator
@inline
export function stops(block: v128): u32 {
  return i8x16.bitmask(
    v128.or(
      v128.or(i8x16.eq(block, i8x16.splat(quote)), i8x16.eq(block, i8x16.splat(backslash))),
      i8x16.le_u(block, i8x16.splat(0x1f)),
    ),
  );
}

/** Reads a string from behind its opening quote. @returns the address behind its closing quote */
export function scanString(at: usize): usize {
  let kind: u32 = kindAscii;
  let high: u32 = 0;
  while (true) {
    const block = v128.load(at);
    const found = stops(block);
    if (found === 0) {
      high |= i8x16.bitmask(block);
      at += blockBytes;
      continue;
    }
    high |= i8x16.bitmask(block) & (found - 1) & ~found;
    at += ctz(found);
    const byte = load<u8>(at);
    if (byte === quote) break;
    if (byte !== backslash) return refuse(refusedNotJson);
    const length = escapeLength(at);
    if (length === 0) return refuse(refusedNotJson);
    kind = kindEscaped;
    at += length;
  }
  stringKind = kind === kindAscii && high !== 0 ? kindUnicode : kind;
  return at + 1;
}

/** As {@link scanString}, for a string that is not noted. */
export function skipString(at: usize): usize {
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
