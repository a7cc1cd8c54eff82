/** Attempts of webhooks and workspaces, counted by every settlement: reading them is a range of an index. */
import { type Kysely, sql } from 'kysely';
import { entriesOf, keysOf } from '../../kernel/lib/objects.ts';
import { firstSpan, statisticsPeriods } from '../../kernel/periods.ts';
import { rowsTable, rowsText } from '../../store/json.ts';
import { statisticsKeys, unlocked } from '../../store/locks.ts';
import type { Tables, WebhookStatisticsTable } from '../../store/schema.ts';

/** The last upper bound in milliseconds, an attempt's deadline: a little more counts as that. */
const longestDuration = 15_000;
export const durationBounds = [10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, longestDuration] as const;

export interface Sample {
  readonly deliveryId: string;
  readonly webhookId: string;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly succeeded: boolean;
}

interface CountedRow extends WebhookStatisticsTable {
  readonly workspace_id: string;
}

const columns = {
  workspace_id: 'text',
  webhook_id: 'text',
  span_ms: 'bigint',
  starts_at: 'bigint',
  succeeded: 'bigint',
  within_ms: 'bigint',
  attempts: 'bigint',
} as const satisfies Record<keyof CountedRow, 'text' | 'bigint'>;

/**
 * Of each webhook, and of all of its workspace.
 * @param workspaces by the id of the delivery; samples of others are not counted
 */
export async function countAttempts(
  transaction: Kysely<Tables>,
  samples: readonly Sample[],
  workspaces: ReadonlyMap<string, string>,
): Promise<void> {
  const rows = samples.flatMap((sample) => {
    const workspaceId = workspaces.get(sample.deliveryId);
    return workspaceId === undefined ? [] : rowOf(sample, workspaceId);
  });
  if (rows.length === 0) return;
  const counted = rowsTable('counted', rowsText(columns, countsOf(rows)));
  await sql`
    insert into webhook_statistics (${statisticsKeys.webhook_statistics}, attempts)
    select ${statisticsKeys.webhook_statistics}, attempts from ${counted}
    where true
    order by ${statisticsKeys.webhook_statistics}
    on conflict (${statisticsKeys.webhook_statistics})
    do update set attempts = webhook_statistics.attempts + excluded.attempts`.execute(transaction);
  await sql`
    insert into workspace_statistics (${statisticsKeys.workspace_statistics}, attempts)
    select ${statisticsKeys.workspace_statistics}, cast(sum(attempts) as bigint)
    from ${counted}
    where true
    group by ${statisticsKeys.workspace_statistics}
    order by ${statisticsKeys.workspace_statistics}
    on conflict (${statisticsKeys.workspace_statistics})
    do update set attempts = workspace_statistics.attempts + excluded.attempts`.execute(transaction);
}

/** In spans of all periods: those of a period consist of those of the one before. */
function countsOf(samples: readonly CountedRow[]): CountedRow[] {
  let rows = samples;
  return Object.values(statisticsPeriods).flatMap(({ spanMs }) => {
    rows = countsOfSpan(spanMs, rows);
    return rows;
  });
}

const rowOf = ({ webhookId, startedAt, durationMs, succeeded }: Sample, workspaceId: string): CountedRow => ({
  workspace_id: workspaceId,
  webhook_id: webhookId,
  span_ms: 1,
  starts_at: startedAt,
  succeeded: succeeded ? 1 : 0,
  within_ms: durationBounds.find((bound) => durationMs <= bound) ?? longestDuration,
  attempts: 1,
});

/** @param rows of shorter spans */
function countsOfSpan(span_ms: number, rows: readonly CountedRow[]): CountedRow[] {
  const counts = new Map<string, CountedRow>();
  for (const row of rows) {
    const starts_at = row.starts_at - (row.starts_at % span_ms);
    const name = `${row.webhook_id} ${starts_at} ${row.succeeded} ${row.within_ms}`;
    const counted = counts.get(name);
    if (counted === undefined) counts.set(name, { ...row, span_ms, starts_at });
    else counted.attempts += row.attempts;
  }
  return [...counts.values()];
}

/** In one statement. */
const deletedAtOnce = 1_000;

/** Deletes a thousand old statistics but locked ones. @param now epoch ms. @returns whether there may be more */
export async function deleteOldStatistics(database: Kysely<Tables>, now: number): Promise<boolean> {
  for (const [table, key] of entriesOf(statisticsKeys)) {
    for (const period of keysOf(statisticsPeriods)) {
      const { spanMs } = statisticsPeriods[period];
      const { numAffectedRows } = await sql`
        delete from ${sql.table(table)} where (${key}) in (
          select ${key} from ${sql.table(table)}
          where span_ms = ${spanMs} and starts_at < ${firstSpan(period, now)} limit ${sql.lit(deletedAtOnce)} ${unlocked()})`.execute(
        database,
      );
      if (Number(numAffectedRows ?? 0) === deletedAtOnce) return true;
    }
  }
  return false;
}
