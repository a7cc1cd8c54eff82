/**
 * The order of locks on Postgres. A transaction that locks several rows takes them in this order, so that no two wait for each
 * other:
 *
 *   1. workspaces
 *   2. events, pending_holds         those who take several leave the locked ones out: nobody waits for them
 *   3. deliveries                    by id
 *   4. webhook_destinations          by webhook
 *   5. webhooks                      by id; emitting shares them with everything but a deletion
 *   6. webhook_statistics            by their key
 *
 * Whoever holds a later row already leaves deliveries that others have locked to a later step (`skip locked`). Attempts,
 * listeners and notices are locked under the row that they belong to. SQLite has one writer, and locks nothing here.
 */
import { type RawBuilder, sql, type Transaction } from 'kysely';
import { type DatabaseKind, isOneOf } from './json-rows.ts';
import type { Tables } from './schema.ts';

/** The key of `webhook_statistics`, in whose order its rows are locked. */
export const statisticsKey: RawBuilder<unknown> = sql.raw('webhook_id, span_ms, starts_at, succeeded, within_ms');

/**
 * The end of a query: locks the rows, and leaves out those that another transaction has locked.
 * @param table whose rows; those of all tables if there is none
 */
export function unlocked(kind: DatabaseKind, table?: string): RawBuilder<unknown> {
  if (kind === 'sqlite') return sql``;
  return table === undefined ? sql`for update skip locked` : sql`for update of ${sql.ref(table)} skip locked`;
}

/** Waits for deliveries, and locks them. */
export async function lockDeliveries(
  transaction: Transaction<Tables>,
  kind: DatabaseKind,
  ids: readonly string[],
): Promise<void> {
  if (kind === 'sqlite' || ids.length === 0) return;
  await sql`select from deliveries where ${isOneOf(kind, 'id', ids)} order by id for no key update`.execute(
    transaction,
  );
}

/**
 * Waits for the destinations of webhooks, and locks them.
 * @returns the ids of those that exist, in the order of their locks
 */
export async function lockDestinations(
  transaction: Transaction<Tables>,
  kind: DatabaseKind,
  webhookIds: readonly string[],
): Promise<string[]> {
  if (webhookIds.length === 0) return [];
  const rows = await transaction
    .selectFrom('webhook_destinations')
    .select('webhook_id')
    .where(isOneOf(kind, 'webhook_id', webhookIds))
    .orderBy('webhook_id')
    .$if(kind === 'postgres', (query) => query.forNoKeyUpdate())
    .execute();
  return rows.map(({ webhook_id }) => webhook_id);
}

/** Waits for the statistics of a webhook, and locks them. */
export async function lockStatistics(
  transaction: Transaction<Tables>,
  kind: DatabaseKind,
  webhookId: string,
): Promise<void> {
  if (kind === 'sqlite') return;
  await sql`select from webhook_statistics where webhook_id = ${webhookId} order by ${statisticsKey} for update`.execute(
    transaction,
  );
}
