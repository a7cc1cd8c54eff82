import { blockBytes, kindAscii, kindEscaped, refusedNotExpected, refusedTooLarge } from '../layout.ts';
import { backslash, quote } from './characters.ts';
import { refuse } from './refusal.ts';
import { copy, limit, reserve } from './room.ts';
import { hex4 } from './strings.ts';
import { isUtf8 } from './utf8.ts';

/** As JSON.stringify, whose output is never longer than the source. @returns the end */
export function printString(start: usize, length: usize, kind: i32, out: usize): usize {
  if (out + length > limit && !reserve(out + length)) return refuse(refusedTooLarge);
  if (kind !== kindAscii && !isUtf8(start, start + length)) return refuse(refusedNotExpected);
  return kind === kindEscaped ? printEscaped(start, start + length, out) : copy(out, start, length);
}

function printEscaped(at: usize, end: usize, out: usize): usize {
  while (true) {
    const block = v128.load(at);
    v128.store(out, block);
    const found = i8x16.bitmask(i8x16.eq(block, i8x16.splat(backslash)));
    const plain: usize = found === 0 ? blockBytes : ctz(found);
    if (plain >= end - at) return out + (end - at);
    at += plain;
    out += plain;
    if (found === 0) continue;
    const byte = load<u8>(at, 1);
    if (byte === 0x75) {
      const unit = hex4(at + 2);
      at += 6;
      if ((unit & 0xfc00) === 0xd800 && load<u16>(at) === 0x755c) {
        const low = hex4(at + 2);
        if ((low & 0xfffffc00) === 0xdc00) {
          out = printPair(unit, low, out);
          at += 6;
          continue;
        }
      }
      out = printUnit(unit, out);
    } else if (byte === 0x2f) {
      store<u8>(out, byte);
      at += 2;
      out += 1;
    } else {
      store<u16>(out, load<u16>(at));
      at += 2;
      out += 2;
    }
  }
}

function printPair(high: u32, low: u32, out: usize): usize {
  const point: u32 = 0x10000 + ((high & 0x3ff) << 10) + (low & 0x3ff);
  store<u8>(out, 0xf0 | (point >> 18));
  store<u8>(out, 0x80 | ((point >> 12) & 0x3f), 1);
  store<u8>(out, 0x80 | ((point >> 6) & 0x3f), 2);
  store<u8>(out, 0x80 | (point & 0x3f), 3);
  return out + 4;
}

function printUnit(unit: u32, out: usize): usize {
  if (unit < 0x20) return printControl(unit, out);
  if (unit === quote || unit === backslash) {
    store<u8>(out, backslash);
    store<u8>(out, <u8>unit, 1);
    return out + 2;
  }
  if (unit < 0x80) {
    store<u8>(out, <u8>unit);
    return out + 1;
  }
  if (unit < 0x800) {
    store<u8>(out, 0xc0 | (unit >> 6));
    store<u8>(out, 0x80 | (unit & 0x3f), 1);
    return out + 2;
  }
  if ((unit & 0xf800) === 0xd800) return printHex(unit, out);
  store<u8>(out, 0xe0 | (unit >> 12));
  store<u8>(out, 0x80 | ((unit >> 6) & 0x3f), 1);
  store<u8>(out, 0x80 | (unit & 0x3f), 2);
  return out + 3;
}

function printControl(unit: u32, out: usize): usize {
  let letter: u32 = 0;
  switch (unit) {
    case 0x08:
      letter = 0x62; // b
      break;
    case 0x09:
      letter = 0x74; // t
      break;
    case 0x0a:
      letter = 0x6e; // n
      break;
    case 0x0c:
      letter = 0x66; // f
      break;
    case 0x0d:
      letter = 0x72; // r
      break;
    default:
      return printHex(unit, out);
  }
  store<u16>(out, <u16>(backslash | (letter << 8)));
  return out + 2;
}

/** Prints a control character as JSON.stringify does, and a lone surrogate, which is no character, as U+FFFD. */
function printHex(unit: u32, out: usize): usize {
  if (unit >= 0xd800) {
    store<u16>(out, 0xbfef);
    store<u8>(out, 0xbd, 2);
    return out + 3;
  }
  store<u16>(out, 0x755c);
  store<u8>(out, digit(unit >> 12), 2);
  store<u8>(out, digit((unit >> 8) & 15), 3);
  store<u8>(out, digit((unit >> 4) & 15), 4);
  store<u8>(out, digit(unit & 15), 5);
  return out + 6;
}

@inline
function digit(value: u32): u8 {
  return <u8>(value < 10 ? 0x30 + value : 0x57 + value);
}
