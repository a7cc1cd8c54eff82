import { blockBytes } from '../layout.ts';
import { point, quote, zero } from './characters.ts';
import { digitStops } from './scalars.ts';
import { asciiStops } from './strings.ts';

/** @returns the address behind a string of ASCII without escapes and of a block at most, or 0 for any other */
@inline
export function shortStringEnd(start: usize): usize {
  // If all the block is plain, the quote may stand right behind it.
  const end = start + 1 + ctz(asciiStops(v128.load(start, 1)) | (1 << blockBytes));
  return load<u8>(end) === quote ? end + 1 : 0;
}

/** @returns the address behind an integer of less than a block, or 0 for any other number */
@inline
export function shortIntegerEnd(start: usize, first: u8): usize {
  const digits: usize = ctz(digitStops(v128.load(start)) | (1 << blockBytes));
  const end = start + digits;
  const next = load<u8>(end);
  const isSimple = digits < <usize>blockBytes && next !== point && (next | 0x20) !== 0x65;
  return isSimple && (first !== zero || digits === 1) ? end : 0;
}
