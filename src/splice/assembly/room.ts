import { blockBytes, refusedTooLarge, slack } from '../layout.ts';
import { refuse } from './refusal.ts';

/** End of the usable memory, before `slack` bytes. */
export let limit: usize = 0;

/** Nothing is written behind it: a print has less than the memory. */
let bound: usize = usize.MAX_VALUE;

/** Bounds what is written from now on, or lifts the bound. */
export function setBound(end: usize): void {
  bound = end;
  limit = min((<usize>memory.size() << 16) - slack, end);
}

/** Grows the memory up to an address. Addresses stay, so it can happen anywhere in a scan or a print. */
export function reserve(end: usize): bool {
  if (end > bound) return false;
  const pages = memory.size();
  const needed = <i32>((end + slack + 0xffff) >>> 16) - pages;
  // Half as much again, so that a large output does not grow page by page.
  if (needed > 0 && memory.grow(max(needed, pages >> 1)) < 0 && memory.grow(needed) < 0) return false;
  limit = min((<usize>memory.size() << 16) - slack, bound);
  return true;
}

/** Copies whole blocks: up to 15 bytes more are read and written than asked for. @returns the end of the copy */
@inline
export function copy(to: usize, from: usize, length: usize): usize {
  v128.store(to, v128.load(from));
  for (let at: usize = blockBytes; at < length; at += blockBytes) v128.store(to + at, v128.load(from + at));
  return to + length;
}

/** Copies bytes. @returns the end of the output */
@inline
export function printSpan(start: usize, length: usize, out: usize): usize {
  return out + length > limit && !reserve(out + length) ? refuse(refusedTooLarge) : copy(out, start, length);
}

/** @returns an address for records, at or behind this one */
@inline
export function aligned(address: usize): usize {
  return (address + (blockBytes - 1)) & ~(blockBytes - 1);
}
