/** Statistics of webhooks as callers read them: of the counts that the delivery engine keeps (capabilities/deliveries/attempt-counts.ts). */

import { type RawBuilder, sql } from 'kysely';
import { firstSpan, statisticsPeriods } from '../../kernel/periods.ts';
import type { Database } from '../../store/database.ts';
import { findManageable } from '../webhooks/manageable.ts';
import { durationBounds } from './attempt-counts.ts';
import type { DeliveriesPort } from './port.ts';
import type { AttemptStatistics, StatisticsRequest, WebhookStatistics } from './shapes.ts';

export interface StatisticsContext {
  readonly database: Database;
  readonly now: () => Date;
}

/** Attempts of a span, or of a period: how many succeeded, and how many there were of each class of durations. */
interface Counts {
  readonly succeeded: number;
  /** In the order of `durationBounds`. */
  readonly classes: readonly number[];
}

const none: Counts = { succeeded: 0, classes: [] };

export const webhookStatistics =
  ({ database, now }: StatisticsContext): DeliveriesPort['statistics'] =>
  async ({ caller }, { webhook_ids, period }) => {
    const managed = await findManageable(database, caller, webhook_ids);
    if (managed.length === 0) return webhook_ids.map(() => null);
    const start = firstSpan(period, now().getTime());
    const countsOf = await readCounts(database, managed, period, start);
    const isManaged = new Set(managed);
    return webhook_ids.map((id) => (isManaged.has(id) ? statisticsOf(countsOf.get(id), period, start) : null));
  };

type CountsByStart = ReadonlyMap<number, Counts>;

/** The database adds up: a row for each span, and not for each of its classes, is what this process has to read. */
async function readCounts(
  database: Database,
  webhookIds: readonly string[],
  period: StatisticsRequest['period'],
  start: number,
): Promise<ReadonlyMap<string, CountsByStart>> {
  const rows = await database
    .selectFrom('webhook_statistics')
    .select(['webhook_id', 'starts_at', attemptsWhere(sql`succeeded = 1`).as('succeeded')])
    .select(durationBounds.map((bound) => attemptsWhere(sql`within_ms = ${sql.lit(bound)}`).as(`within_${bound}`)))
    .where('webhook_id', 'in', webhookIds)
    .where('span_ms', '=', statisticsPeriods[period].spanMs)
    .where('starts_at', '>=', start)
    .groupBy(['webhook_id', 'starts_at'])
    .execute();
  const countsOf = new Map<string, Map<number, Counts>>();
  for (const { webhook_id, starts_at, succeeded, ...row } of rows) {
    const ofWebhook = countsOf.get(webhook_id) ?? new Map<number, Counts>();
    countsOf.set(webhook_id, ofWebhook);
    ofWebhook.set(starts_at, { succeeded, classes: durationBounds.map((bound) => row[`within_${bound}`]) });
  }
  return countsOf;
}

const attemptsWhere = (condition: RawBuilder<unknown>): RawBuilder<number> =>
  sql`cast(sum(case when ${condition} then attempts else 0 end) as bigint)`;

function statisticsOf(
  countsAt: CountsByStart = new Map(),
  period: StatisticsRequest['period'],
  start: number,
): WebhookStatistics {
  const { spanMs, spans } = statisticsPeriods[period];
  return {
    starts_at: iso(start),
    attempts: attemptStatistics(added([...countsAt.values()])),
    spans: Array.from({ length: spans }, (_, place) => {
      const at = start + place * spanMs;
      return { starts_at: iso(at), ends_at: iso(at + spanMs), attempts: attemptStatistics(countsAt.get(at) ?? none) };
    }),
  };
}

const iso = (time: number) => new Date(time).toISOString();

const total = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);

const added = (counts: readonly Counts[]): Counts => ({
  succeeded: total(counts.map(({ succeeded }) => succeeded)),
  classes: durationBounds.map((_, place) => total(counts.map(({ classes }) => classes[place] ?? 0))),
});

const attemptStatistics = ({ succeeded, classes }: Counts): AttemptStatistics => ({
  count: total(classes),
  succeeded_count: succeeded,
  median_duration_ms: durationAt(classes, 0.5),
  p95_duration_ms: durationAt(classes, 0.95),
});

/**
 * Estimates a quantile of durations: the durations of a class are taken as spread evenly over it.
 * @param classes how many durations there are in each class, in the order of `durationBounds`
 * @returns whole milliseconds; null if nothing was counted
 */
export function durationAt(classes: readonly number[], quantile: number): number | null {
  let left = quantile * total(classes);
  let lower = 0;
  for (const [place, bound] of durationBounds.entries()) {
    const inClass = classes[place] ?? 0;
    if (inClass > 0 && left <= inClass) return Math.round(lower + (bound - lower) * (left / inClass));
    left -= inClass;
    lower = bound;
  }
  return null;
}
