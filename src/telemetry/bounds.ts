/** Bounds on what others cause in any number: lines of the log, and values of labels. */

import { LRUCache } from 'lru-cache';

const minuteMs = 60_000;
/** Beyond them, those logged longest ago are forgotten. */
const maxKeys = 1_000;

/** @param now epoch milliseconds. @returns null for a line to leave out, else the number of lines left out before it */
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

/** One line per minute and key, and `perMinute` over all. @param now epoch milliseconds */
export function boundedLinesByKey(
  perMinute: number,
  now: () => number,
): (key: string) => { readonly leftOut?: number } | null {
  const ofKeys = new LRUCache<string, ReturnType<typeof boundedLines>>({
    max: maxKeys,
    memoMethod: () => boundedLines(1, now),
  });
  const ofAll = boundedLines(perMinute, now);
  return (key) => {
    const own = ofKeys.memo(key)();
    const all = own === null ? null : ofAll();
    if (own === null || all === null) return null;
    const leftOut = (own.leftOut ?? 0) + (all.leftOut ?? 0);
    return leftOut === 0 ? {} : { leftOut };
  };
}

/** Stands for names beyond the bound. */
export const otherName = 'other';

/** Clients choose names, such as those of operations: labels need a bound. */
export function boundedNames(most: number): (name: string) => string {
  const known = new Set<string>();
  return (name) => {
    if (known.has(name)) return name;
    if (known.size >= most) return otherName;
    known.add(name);
    return name;
  };
}
