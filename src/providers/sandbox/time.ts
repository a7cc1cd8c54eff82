/**
 * The times of the sandbox's posts. They are fixed, counted back from an epoch, so that a post never changes between
 * pages, processes or days. Only its relative `date` follows the clock, as on a real network.
 */

const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;

/** No post is newer. In milliseconds since 1970, like all timestamps of the sandbox. */
export const epoch = Date.UTC(2026, 10, 16, 9);

/** When links to media expire: too late to matter to anybody. */
export const mediaExpiry = Date.UTC(2036, 0, 1);

/**
 * When the author `serial` (1 to 31) wrote the post at `index` (0 is the newest). Recent posts of an author are hours
 * apart, old ones weeks. Authors are offset by 7 minutes, which is less than the distance between two posts of one
 * author, so a list that alternates between authors is in order too.
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

/** The age of a post as pnet writes it: `5m`, `3d`, `2mo`, `1yr`; `now` within the last minute. */
export function relativeDate(instant: number, now: number): string {
  const age = now - instant;
  const unit = units.find(([, length]) => age >= length);
  return unit === undefined ? 'now' : `${Math.floor(age / unit[1])}${unit[0]}`;
}
