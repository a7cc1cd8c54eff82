/** Chance that is none: the same numbers for the same place, so that a post is the same whenever it is read. */

/** A number from 0 to 2^32 - 1 that looks random and depends only on its two seeds (the finalizer of MurmurHash3). */
export function mix(seed: number, index: number): number {
  let hash = Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The entry of a list that a number stands for. */
export const pick = <const List extends readonly [unknown, ...unknown[]]>(list: List, number: number): List[number] =>
  list[number % list.length];

/** A count from 0 to `max`, mostly small, as counters of posts are. */
export const count = (number: number, max: number): number => Math.floor((max + 1) * (number / 2 ** 32) ** 3);
