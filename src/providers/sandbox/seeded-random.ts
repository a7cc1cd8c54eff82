/** Deterministic pseudo-randomness, so that a post is the same whenever it is read. */

/** 0 to 2^32 - 1, by the finalizer of MurmurHash3. */
export function seededHash(seed: number, index: number): number {
  let bits = Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/** @param list not empty */
export const pick = <const List extends readonly unknown[]>(list: List, number: number): List[number] =>
  list[number % list.length];

/** A count from 0 to `max` out of a {@link seededHash}; small counts are far more frequent, as on real posts. */
export const skewedCount = (number: number, max: number): number => Math.floor((max + 1) * (number / 2 ** 32) ** 3);
