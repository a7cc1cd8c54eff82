/** Times are counted back from a fixed epoch, so that a post never changes between pages, processes or days. */

import { day, hour, minute } from '../../kernel/lib/time-units.ts';

/** No post is newer. Epoch milliseconds, like all timestamps of the sandbox. */
export const epoch = Date.UTC(2026, 10, 16, 9);

/**
 * Recent posts of an author are hours apart, old ones weeks. Authors are offset by 7 minutes, less than the distance of
 * two posts of one author, so that a list that alternates between authors is in order.
 * @param serial 1 to 31; `index` 0 is the newest post
 */
export const writtenAt = (serial: number, index: number): number =>
  epoch - (serial * 7 + index * 190 + index * index * 31) * minute;

const units = [
  ['yr', 365 * day],
  ['mo', 30 * day],
  ['w', 7 * day],
  ['d', day],
  ['h', hour],
  ['m', minute],
] as const;

/** Age as pnet writes it: `5m`, `3d`, `2mo`, `1yr`; `now` within the last minute. */
export function relativeDate(instant: number, now: number): string {
  const age = now - instant;
  const unit = units.find(([, length]) => age >= length);
  return unit === undefined ? 'now' : `${Math.floor(age / unit[1])}${unit[0]}`;
}
