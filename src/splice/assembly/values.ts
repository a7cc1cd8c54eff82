import { maxValues, refusedTooLarge } from '../layout.ts';
import { refuse } from './refusal.ts';

/** Commas, and brackets and braces that open, of the document so far. */
let values: u32 = 0;

export function startCounting(): void {
  values = 0;
}

/** @returns whether the document may have this one, too */
@inline
export function mayHaveMore(): bool {
  values++;
  if (values <= <u32>maxValues) return true;
  refuse(refusedTooLarge);
  return false;
}
