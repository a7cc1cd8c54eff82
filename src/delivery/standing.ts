/**
 * Places for destinations that answer: those that are not quick together hold a part, the slow ones a part of that. A
 * quick one always finds a place, however many hang.
 */

/**
 * - `quick`: its last request ended quickly, however it ended
 * - `young`: none has ended yet
 * - `slow`: its last request was slow, or one that is in flight is
 */
export type Standing = 'quick' | 'young' | 'slow';

/** Parts of places, or of bytes, held together. */
export interface Parts {
  readonly notQuick: number;
  readonly slow: number;
}

const part: Parts = { notQuick: 3 / 4, slow: 1 / 2 };

/** @returns the parts of a whole, less their holdings */
export const partsOf = (whole: number, { young, slow }: Readonly<Record<'young' | 'slow', number>>): Parts => {
  const slowLeft = Math.ceil(whole * part.slow) - slow;
  const left = Math.ceil(whole * part.notQuick) - young - slow;
  return { notQuick: left, slow: Math.min(slowLeft, left) };
};

export const lesser = (one: Parts, other: Parts): Parts => ({
  notQuick: Math.min(one.notQuick, other.notQuick),
  slow: Math.min(one.slow, other.slow),
});

/** @returns a destination's part; without end for a quick one */
export function partFor(standing: Standing, { notQuick, slow }: Parts): number {
  if (standing === 'quick') return Number.POSITIVE_INFINITY;
  return standing === 'slow' ? slow : notQuick;
}

/** @returns the parts less a destination's share */
export const taken = (standing: Standing, { notQuick, slow }: Parts, count: number): Parts => ({
  notQuick: standing === 'quick' ? notQuick : notQuick - count,
  slow: standing === 'slow' ? slow - count : slow,
});
