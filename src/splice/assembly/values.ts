import { maxValues, refusedTooLarge } from '../layout.ts';
import { refuse } from './refusal.ts';

/** Commas and opening brackets and braces so far. */
let values: u32 = 0;

export function startCounting(): void {
  values = 0;
}

/** Counts one. @returns whether the document may have it */
@inline
export function mayHaveMore(): bool {
  values++;
  if (values <= <u32>maxValues) return true;
  refuse(refusedTooLarge);
  return false;
}
