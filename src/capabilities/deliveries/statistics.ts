/** Reads the delivery engine's counts (attempt-counts.ts). */

import { expressionBuilder, type RawBuilder, sql } from 'kysely';
import { firstSpan, type StatisticsPeriod, statisticsPeriods } from '../../kernel/periods.ts';
import type { Database } from '../../store/database.ts';
import { findManageable } from '../webhooks/manageable.ts';
import { durationBounds } from './attempt-counts.ts';
import { type BacklogContext, workspaceBacklog } from './backlog.ts';
import type { DeliveriesPort } from './port.ts';
import type { AttemptStatistics, WebhookStatistics, WebhookSummary } from './shapes.ts';

interface StatisticsContext {
  readonly database: Database;
  readonly now: () => Date;
}

/** Counts of a span or a period. */
interface Counts {
  readonly succeeded: number;
  /** In the order of `durationBounds`. */
  readonly classes: readonly number[];
}

const noCounts: Counts = { succeeded: 0, classes: [] };

export const webhookStatistics =
  ({ database, now }: StatisticsContext): DeliveriesPort['statistics'] =>
  async ({ caller }, { webhook_ids, period }) => {
    const managed = await findManageable(database, caller, webhook_ids);
    if (managed.length === 0) return webhook_ids.map(() => null);
    const start = firstSpan(period, now().getTime());
    const countsOf = await readAttemptCounts(database, 'webhook', managed, { period, start });
    const isManaged = new Set(managed);
    return webhook_ids.map((id) => (isManaged.has(id) ? statisticsOf(countsOf.get(id), { period, start }) : null));
  };

type CountsByStart = ReadonlyMap<number, Counts>;

/** Reach of a period; `start` in epoch milliseconds. */
interface Reach {
  readonly period: StatisticsPeriod;
  readonly start: number;
}

type StatisticsRow = { readonly owner: string; readonly starts_at: number; readonly succeeded: number } & Readonly<
  Record<`within_${number}`, number>
>;

const classColumns = sql.join(
  durationBounds.map(
    (bound) => sql`${attemptsWhere(sql`within_ms = ${sql.lit(bound)}`)} as ${sql.ref(`within_${bound}`)}`,
  ),
);

/** The database adds up: this process reads a row per span, not per class. */
async function readAttemptCounts(
  database: Database,
  owner: 'webhook' | 'workspace',
  ids: readonly string[],
  { period, start }: Reach,
): Promise<ReadonlyMap<string, CountsByStart>> {
  const id = sql.ref(`${owner}_id`);
  const { rows } = await sql<StatisticsRow>`
    select ${id} as owner, starts_at, ${attemptsWhere(sql`succeeded = 1`)} as succeeded, ${classColumns}
    from ${sql.table(`${owner}_statistics`)}
    where ${expressionBuilder<never, never>()(sql<string>`${id}`, 'in', ids)}
      and span_ms = ${statisticsPeriods[period].spanMs} and starts_at >= ${start}
    group by ${id}, starts_at`.execute(database);
  const countsOf = new Map<string, Map<number, Counts>>();
  for (const { owner: of, starts_at, succeeded, ...row } of rows) {
    const counts = countsOf.get(of) ?? new Map<number, Counts>();
    countsOf.set(of, counts);
    counts.set(starts_at, { succeeded, classes: durationBounds.map((bound) => row[`within_${bound}`] ?? 0) });
  }
  return countsOf;
}

/** Reads the statistics of all webhooks of a workspace. */
async function workspaceStatistics(
  { database, now }: StatisticsContext,
  workspaceId: string,
  period: StatisticsPeriod,
): Promise<WebhookStatistics> {
  const start = firstSpan(period, now().getTime());
  const countsOf = await readAttemptCounts(database, 'workspace', [workspaceId], { period, start });
  return statisticsOf(countsOf.get(workspaceId), { period, start });
}

function attemptsWhere(condition: RawBuilder<unknown>): RawBuilder<number> {
  return sql`cast(sum(case when ${condition} then attempts else 0 end) as bigint)`;
}

function statisticsOf(countsAt: CountsByStart = new Map(), { period, start }: Reach): WebhookStatistics {
  const { spanMs, spans } = statisticsPeriods[period];
  return {
    total: attemptStatistics(added([...countsAt.values()]), start, spans * spanMs),
    spans: Array.from({ length: spans }, (_, place) => {
      const at = start + place * spanMs;
      return attemptStatistics(countsAt.get(at) ?? noCounts, at, spanMs);
    }),
  };
}

const total = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);

const added = (counts: readonly Counts[]): Counts => ({
  succeeded: total(counts.map(({ succeeded }) => succeeded)),
  classes: durationBounds.map((_, place) => total(counts.map(({ classes }) => classes[place] ?? 0))),
});

const attemptStatistics = ({ succeeded, classes }: Counts, start: number, ms: number): AttemptStatistics => ({
  starts_at: start,
  ends_at: start + ms,
  count: total(classes),
  succeeded_count: succeeded,
  median_duration_ms: durationAt(classes, 0.5),
  p95_duration_ms: durationAt(classes, 0.95),
});

/** An estimate: durations of a class count as evenly spread. @param classes as `durationBounds` */
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

/** Figures of all webhooks of a workspace, by counters and ranges of indexes: one row, or a hundred thousand webhooks. */
export const webhookSummary =
  (context: StatisticsContext & BacklogContext): DeliveriesPort['summary'] =>
  async (request, { period }) => {
    const { workspaceId, accountIds } = request.caller;
    // They tell of webhooks beyond the key.
    if (accountIds !== null) return null;
    const [counts, statistics, backlog] = await Promise.all([
      webhookCounts(context.database, workspaceId),
      workspaceStatistics(context, workspaceId, period),
      context.budget.scan(request, () => workspaceBacklog(context.database, workspaceId)),
    ]);
    return { counts, statistics, backlog };
  };

const noWebhooks: WebhookSummary['counts'] = { healthy: 0, failing: 0, disabled_by_gateway: 0, disabled_by_caller: 0 };

async function webhookCounts(database: Database, workspaceId: string): Promise<WebhookSummary['counts']> {
  const row = await database
    .selectFrom('webhook_counts')
    .select(['healthy', 'failing', 'disabled_by_gateway', 'disabled_by_caller'])
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst();
  return row ?? noWebhooks;
}
