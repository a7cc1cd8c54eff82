/** A bound on lines of the log that whatever goes wrong elsewhere can cause in any number. */

const minuteMs = 60_000;

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
