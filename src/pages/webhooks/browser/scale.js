/** Axes that end at a number that people read at once. */

const steps = [1, 2, 4, 6, 8, 10];

/** The least of 1, 2, 4, 6, 8 and 10 times a power of ten that is no smaller: its half is as short. @param {number} least what it is at least */
export function niceTop(most, least) {
  const value = Math.max(most, least);
  const power = 10 ** Math.floor(Math.log10(value));
  return steps.map((step) => step * power).find((each) => each >= value);
}
