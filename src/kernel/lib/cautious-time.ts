import { type Clock, day } from './time-units.ts';

/** How long a clock must have been ahead before old rows are given up by it: nothing deleted comes back. */
const believedAfterMs = day;

/** Below this, a difference is no jump. */
const adjustedMs = 1_000;

/**
 * The time, in whole epoch milliseconds, by the slowest of the readings of the last day, as wall clocks may jump ahead.
 * @param newest creation of an event, epoch milliseconds; of more than a day ago, it counts as a reading: a clock may be
 * wrong from the start on
 */
export function cautiousTime(now: () => Date, clock: Clock, newest: number | null): () => number {
  const began = clock();
  let readings: { readonly at: number; readonly offset: number }[] = [];
  if (newest !== null && now().getTime() - newest > believedAfterMs)
    readings.push({ at: began, offset: newest - began });
  return () => {
    const at = clock();
    const offset = now().getTime() - at;
    // Of an earlier reading that is not below this one nothing is needed. A clock that is adjusted makes no list of readings.
    const isBelow = (reading: { readonly offset: number }) => reading.offset < offset - adjustedMs;
    readings = readings.filter((reading) => at - reading.at < believedAfterMs && isBelow(reading));
    readings.push({ at, offset });
    return Math.round(at + (readings[0]?.offset ?? offset));
  };
}
