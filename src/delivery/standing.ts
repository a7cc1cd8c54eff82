/**
 * Places for the destinations that answer, whatever the others do. A destination stands as one that is quick, young or slow;
 * those that are not quick together hold a part of the places, and the slow ones a part of that. One that stands well always
 * finds a place, however many hang.
 */

/**
 * - `quick`: its last request ended quickly, however it ended
 * - `young`: none has ended yet
 * - `slow`: its last request was slow, or one that is in flight is
 */
export type Standing = 'quick' | 'young' | 'slow';

/** What of the places, and of the bytes, those can hold together that are not quick, and those that are slow. */
export interface Parts {
  readonly notQuick: number;
  readonly slow: number;
}

const part: Parts = { notQuick: 3 / 4, slow: 1 / 2 };

/** @returns the parts of a whole, less what is held of them */
export const partsOf = (whole: number, { young, slow }: Readonly<Record<'young' | 'slow', number>>): Parts => {
  const slowLeft = Math.ceil(whole * part.slow) - slow;
  const left = Math.ceil(whole * part.notQuick) - young - slow;
  return { notQuick: left, slow: Math.min(slowLeft, left) };
};

/** What of those parts is left that both leave. */
export const lesser = (one: Parts, other: Parts): Parts => ({
  notQuick: Math.min(one.notQuick, other.notQuick),
  slow: Math.min(one.slow, other.slow),
});

/** @returns what of the parts a destination can have; without end for one that is quick */
export function partFor(standing: Standing, { notQuick, slow }: Parts): number {
  if (standing === 'quick') return Number.POSITIVE_INFINITY;
  return standing === 'slow' ? slow : notQuick;
}

/** @returns the parts less what a destination takes */
export const taken = (standing: Standing, { notQuick, slow }: Parts, count: number): Parts => ({
  notQuick: standing === 'quick' ? notQuick : notQuick - count,
  slow: standing === 'slow' ? slow - count : slow,
});
