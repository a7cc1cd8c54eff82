/** Each period has spans of its own, so that a chart is few rows: the shortest first, each a part of the next. */
import { hour, minute } from './lib/time-units.ts';

export const statisticsPeriods = {
  hour: { spanMs: 5 * minute, spans: 12 },
  day: { spanMs: hour, spans: 24 },
  week: { spanMs: 6 * hour, spans: 28 },
  month: { spanMs: 24 * hour, spans: 30 },
} as const;

export type StatisticsPeriod = keyof typeof statisticsPeriods;

/** @param now epoch milliseconds */
export function firstSpan(period: StatisticsPeriod, now: number): number {
  const { spanMs, spans } = statisticsPeriods[period];
  return now - (now % spanMs) - (spans - 1) * spanMs;
}
