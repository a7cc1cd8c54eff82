import { blockBytes, kindFalse, kindNull, kindNumber, kindOddNumber, kindTrue, refusedNotJson } from '../layout.ts';
import { block80, block137 } from './blocks.ts';
import { isFalse, minus, plus, point, wordNull, wordTrue, zero } from './characters.ts';
import { refuse } from './refusal.ts';

/** Kind of the last scalar of {@link scanScalar}. */
export let scalarKind: u32 = 0;

/** Digits that a double keeps, whatever they are. */
const exactDigits: usize = 15;

/** Reads a number, true, false or null. @returns the address behind it */
export function scanScalar(at: usize): usize {
  const word = load<u32>(at);
  if (word === wordNull) {
    scalarKind = kindNull;
    return at + 4;
  }
  if (word === wordTrue) {
    scalarKind = kindTrue;
    return at + 4;
  }
  if (isFalse(at)) {
    scalarKind = kindFalse;
    return at + 5;
  }
  return scanNumber(at);
}

function scanNumber(start: usize): usize {
  const isNegative = load<u8>(start) === minus;
  const whole = start + <usize>isNegative;
  const digits = countDigits(whole);
  const startsWithZero = load<u8>(whole) === zero;
  if (digits === 0 || (startsWithZero && digits > 1)) return refuse(refusedNotJson);
  const at = whole + digits;
  const byte = load<u8>(at);
  if (byte === point) return scanFraction(at, startsWithZero ? 0 : digits);
  if ((byte | 0x20) === 0x65) return scanExponent(at);
  // -0 is printed as 0.
  scalarKind = digits <= exactDigits && !(isNegative && startsWithZero) ? kindNumber : kindOddNumber;
  return at;
}

/** Reads on from the point. @param significant digits before it: none if the whole part is 0 */
function scanFraction(start: usize, significant: usize): usize {
  const fraction = start + 1;
  const digits = countDigits(fraction);
  if (digits === 0) return refuse(refusedNotJson);
  const at = fraction + digits;
  if ((load<u8>(at) | 0x20) === 0x65) return scanExponent(at);
  let zeros: usize = 0;
  if (significant === 0) while (zeros < digits && load<u8>(fraction + zeros) === zero) zeros++;
  // A zero at the end is not printed, and what is less than 1e-6 is printed with an exponent.
  const endsWithZero = load<u8>(at - 1) === zero;
  const isPlain = !endsWithZero && zeros <= 5 && significant + digits - zeros <= exactDigits;
  scalarKind = isPlain ? kindNumber : kindOddNumber;
  return at;
}

function scanExponent(start: usize): usize {
  const sign = load<u8>(start, 1);
  const exponent = start + 1 + <usize>(sign === plus || sign === minus);
  const digits = countDigits(exponent);
  if (digits === 0) return refuse(refusedNotJson);
  scalarKind = kindOddNumber;
  return exponent + digits;
}

function countDigits(start: usize): usize {
  let at = start;
  while (true) {
    const others = digitStops(v128.load(at));
    if (others !== 0) return at + ctz(others) - start;
    at += blockBytes;
  }
}

/** Bytes of a block that are no digits, as bits. To a signed comparison, digits plus 80 are the least numbers. */
@inline
export function digitStops(block: v128): u32 {
  return i8x16.bitmask(i8x16.gt_s(i8x16.add(block, block80()), block137()));
}
