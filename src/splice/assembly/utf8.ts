import { blockBytes } from '../layout.ts';

// What is wrong with two bytes in a row, as bits. A pair is wrong if all three of its tables say so: by the high and by
// the low half of the first byte, and by the high half of the second.
const tooShort: u8 = 1;
const tooLong: u8 = 2;
const overlong3: u8 = 4;
const tooLarge: u8 = 8;
const surrogate: u8 = 16;
const overlong2: u8 = 32;
const tooLarge1000: u8 = 64;
const overlong4: u8 = 64;
const twoContinuations: u8 = 128;
const carry: u8 = tooShort | tooLong | twoContinuations;

/**
 * Whether a string is UTF-8, as decoders check it: no surrogates, no overlong forms. After J. Keiser and D. Lemire,
 * "Validating UTF-8 In Less Than One Instruction Per Byte" (2021).
 *
 * The string comes with its quotes. The one behind it ends a character that is cut short, and before the first byte
 * beyond ASCII there are three others: that quote, and what stands before it outside of strings.
 */
export function isUtf8(start: usize, end: usize): bool {
  let at = start;
  while (true) {
    const high = i8x16.bitmask(v128.load(at));
    at += high === 0 ? blockBytes : ctz(high);
    if (at >= end) return true;
    if (high !== 0) break;
  }
  for (; at < end; at += blockBytes) {
    const wrong = i8x16.bitmask(i8x16.ne(errors(at), i64x2.splat(0)));
    if (wrong === 0) continue;
    // What stands behind the string is not looked at.
    return at + ctz(wrong) >= end;
  }
  return true;
}

/** Tells for each byte of a block whether it may follow those before it. */
@inline
function errors(at: usize): v128 {
  const block = v128.load(at);
  const before1 = v128.load(at - 1);
  const pairs = v128.and(
    v128.and(
      i8x16.swizzle(byFirstHigh(), i8x16.shr_u(before1, 4)),
      i8x16.swizzle(byFirstLow(), v128.and(before1, i8x16.splat(15))),
    ),
    i8x16.swizzle(bySecondHigh(), i8x16.shr_u(block, 4)),
  );
  // The third and the fourth byte of a character must be continuations: there the pairs are two of them in a row.
  const thirds = i8x16.sub_sat_u(v128.load(at - 2), i8x16.splat(0x60));
  const fourths = i8x16.sub_sat_u(v128.load(at - 3), i8x16.splat(0x70));
  return v128.xor(v128.and(v128.or(thirds, fourths), i8x16.splat(-128)), pairs);
}

const tables = memory.data<u8>(
  [
    tooLong, tooLong, tooLong, tooLong, tooLong, tooLong, tooLong, tooLong,
    twoContinuations, twoContinuations, twoContinuations, twoContinuations,
    tooShort | overlong2,
    tooShort,
    tooShort | overlong3 | surrogate,
    tooShort | tooLarge | tooLarge1000 | overlong4,

    carry | overlong3 | overlong2 | overlong4,
    carry | overlong2,
    carry, carry,
    carry | tooLarge,
    carry | tooLarge | tooLarge1000, carry | tooLarge | tooLarge1000, carry | tooLarge | tooLarge1000,
    carry | tooLarge | tooLarge1000, carry | tooLarge | tooLarge1000, carry | tooLarge | tooLarge1000,
    carry | tooLarge | tooLarge1000, carry | tooLarge | tooLarge1000,
    carry | tooLarge | tooLarge1000 | surrogate,
    carry | tooLarge | tooLarge1000, carry | tooLarge | tooLarge1000,

    tooShort, tooShort, tooShort, tooShort, tooShort, tooShort, tooShort, tooShort,
    tooLong | overlong2 | twoContinuations | overlong3 | tooLarge1000 | overlong4,
    tooLong | overlong2 | twoContinuations | overlong3 | tooLarge,
    tooLong | overlong2 | twoContinuations | surrogate | tooLarge,
    tooLong | overlong2 | twoContinuations | surrogate | tooLarge,
    tooShort, tooShort, tooShort, tooShort,
  ],
  16,
);

@inline
function byFirstHigh(): v128 {
  return v128.load(tables);
}

@inline
function byFirstLow(): v128 {
  return v128.load(tables, 16);
}

@inline
function bySecondHigh(): v128 {
  return v128.load(tables, 32);
}
