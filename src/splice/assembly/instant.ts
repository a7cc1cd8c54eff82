import { isDigit, zero } from './characters.ts';
import { digitStops } from './scalars.ts';

/** Whether a string, with its quotes, is YYYY-MM-DDTHH:MM:SSZ, with up to three digits of a second's fraction. */
export function isInstant(start: usize, length: usize): bool {
  const text = start + 1;
  if (length < 22 || length > 26 || length === 23) return false;
  if (load<u8>(text + length - 3) !== 0x5a) return false;
  // The first 16 characters at once: which are digits, and which are the signs that they must be.
  const block = v128.load(text);
  const digits = digitStops(block) ^ 0xffff;
  const signs = i8x16.bitmask(i8x16.eq(block, i8x16(0, 0, 0, 0, 0x2d, 0, 0, 0x2d, 0, 0, 0x54, 0, 0, 0x3a, 0, 0)));
  if (digits !== 0b1101_1011_0110_1111 || signs !== 0b0010_0100_1001_0000) return false;
  return (
    load<u32>(text) !== 0x30303030 &&
    isDay(twoDigits(text + 5), twoDigits(text + 8)) &&
    twoDigits(text + 11) <= 23 &&
    twoDigits(text + 14) <= 59 &&
    load<u8>(text, 16) === 0x3a &&
    twoDigits(text + 17) <= 59 &&
    isFraction(text + 19, length - 22)
  );
}

/** 29 February is refused: the executor prints it. */
function isDay(month: u32, day: u32): bool {
  if (month < 1 || month > 12 || day < 1) return false;
  if (month === 2) return day <= 28;
  // April, June, September and November.
  const isShort = ((1 << month) & 0b0000_1010_0101_0000) !== 0;
  return day <= (isShort ? 30 : 31);
}

/** @returns the value of two digits, or more than 99 */
function twoDigits(at: usize): u32 {
  const tens = load<u8>(at);
  const ones = load<u8>(at, 1);
  return isDigit(tens) && isDigit(ones) ? <u32>(tens - zero) * 10 + (ones - zero) : 100;
}

/** A point and one to three digits, or nothing. */
function isFraction(at: usize, length: usize): bool {
  if (length === 0) return true;
  if (load<u8>(at) !== 0x2e) return false;
  for (let digit: usize = 1; digit < length; digit++) {
    if (!isDigit(load<u8>(at + digit))) return false;
  }
  return true;
}
