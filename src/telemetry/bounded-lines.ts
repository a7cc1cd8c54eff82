/** A bound on lines of the log that whatever goes wrong elsewhere can cause in any number. */

import { LRUCache } from 'lru-cache';

const minuteMs = 60_000;
/** Keys whose lines are counted: beyond them, those that were logged longest ago are forgotten. */
const maxKeys = 1_000;

/**
 * @param perMinute lines that are let through in a minute
 * @param now epoch milliseconds
 * @returns whether a line can be written, and what it says of those that were left out before it; null if it cannot
 */
export function boundedLines(perMinute: number, now: () => number): () => { readonly leftOut?: number } | null {
  let startedAt = Number.NEGATIVE_INFINITY;
  let written = 0;
  let leftOut = 0;
  return () => {
    const time = now();
    // A clock that was set back begins a new minute, too.
    if (time < startedAt || time - startedAt >= minuteMs) [startedAt, written] = [time, 0];
    if (written >= perMinute) {
      leftOut += 1;
      return null;
    }
    written += 1;
    const fields = leftOut === 0 ? {} : { leftOut };
    leftOut = 0;
    return fields;
  };
}

/**
 * Lets one line through in a minute for each key, and `perMinute` over all.
 * @param now epoch milliseconds
 */
export function boundedLinesByKey(
  perMinute: number,
  now: () => number,
): (key: string) => { readonly leftOut?: number } | null {
  const ofKeys = new LRUCache<string, ReturnType<typeof boundedLines>>({ max: maxKeys });
  const ofAll = boundedLines(perMinute, now);
  return (key) => {
    const ofKey = ofKeys.get(key) ?? boundedLines(1, now);
    ofKeys.set(key, ofKey);
    const own = ofKey();
    const all = own === null ? null : ofAll();
    if (own === null || all === null) return null;
    const leftOut = (own.leftOut ?? 0) + (all.leftOut ?? 0);
    return leftOut === 0 ? {} : { leftOut };
  };
}
