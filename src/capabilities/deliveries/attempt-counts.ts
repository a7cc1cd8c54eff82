/**
 * Statistics of webhooks: counts of their attempts, kept up to date with every settlement, so that reading them is a range
 * of an index however many deliveries there are.
 */
import { type Kysely, sql } from 'kysely';
import { keysOf } from '../../kernel/lib/keys-of.ts';
import { firstSpan, statisticsPeriods } from '../../kernel/periods.ts';
import { type DatabaseKind, rowsTable, rowsText } from '../../store/json-rows.ts';
import { statisticsKey, unlocked } from '../../store/locks.ts';
import type { Tables, WebhookStatisticsTable } from '../../store/schema.ts';

/**
 * Durations are counted in classes, by their upper bounds in milliseconds. The last is the deadline of an attempt: what takes
 * a little longer counts as that.
 */
export const longestDuration = 15_000;
export const durationBounds = [10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, longestDuration] as const;

/** An attempt, as the statistics see it. */
export interface Sample {
  readonly deliveryId: string;
  readonly webhookId: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly succeeded: boolean;
}

const columns = {
  webhook_id: 'text',
  span_ms: 'bigint',
  starts_at: 'bigint',
  succeeded: 'bigint',
  within_ms: 'bigint',
  attempts: 'bigint',
} as const satisfies Record<keyof WebhookStatisticsTable, 'text' | 'bigint'>;

/** Adds attempts to the statistics of their webhooks. */
export async function countAttempts(
  transaction: Kysely<Tables>,
  kind: DatabaseKind,
  samples: readonly Sample[],
): Promise<void> {
  if (samples.length === 0) return;
  const names = sql.join(Object.keys(columns).map((column) => sql.ref(column)));
  await sql`
    insert into webhook_statistics (${names})
    select ${names} from ${rowsTable(kind, 'counted', columns, rowsText(countsOf(samples)))}
    where true
    order by ${statisticsKey}
    on conflict (${statisticsKey})
    do update set attempts = webhook_statistics.attempts + excluded.attempts`.execute(transaction);
}

/** The rows that samples add to. */
function countsOf(samples: readonly Sample[]): WebhookStatisticsTable[] {
  const counts = new Map<string, WebhookStatisticsTable>();
  for (const { webhookId, startedAt, durationMs, succeeded } of samples) {
    const within_ms = durationBounds.find((bound) => durationMs <= bound) ?? longestDuration;
    for (const { spanMs } of Object.values(statisticsPeriods)) {
      const starts_at = startedAt - (startedAt % spanMs);
      const name = `${webhookId} ${spanMs} ${starts_at} ${succeeded} ${within_ms}`;
      const row = counts.get(name);
      if (row !== undefined) row.attempts += 1;
      else {
        const outcome = succeeded ? 1 : 0;
        counts.set(name, {
          webhook_id: webhookId,
          span_ms: spanMs,
          starts_at,
          succeeded: outcome,
          within_ms,
          attempts: 1,
        });
      }
    }
  }
  return [...counts.values()];
}

/** Rows that are deleted at once. */
const deletedAtOnce = 1_000;

/**
 * Deletes statistics of before their periods, a thousand at a time. Those that are being counted are left to a later step.
 * @param now epoch milliseconds
 * @returns whether there may be more
 */
export async function deleteOldStatistics(database: Kysely<Tables>, kind: DatabaseKind, now: number): Promise<boolean> {
  for (const period of keysOf(statisticsPeriods)) {
    const { spanMs } = statisticsPeriods[period];
    const { numAffectedRows } = await sql`
      delete from webhook_statistics where (${statisticsKey}) in (
        select ${statisticsKey} from webhook_statistics
        where span_ms = ${spanMs} and starts_at < ${firstSpan(period, now)} limit ${deletedAtOnce} ${unlocked(kind)})`.execute(
      database,
    );
    if (Number(numAffectedRows ?? 0) === deletedAtOnce) return true;
  }
  return false;
}
