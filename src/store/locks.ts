/**
 * The order of locks on Postgres. A transaction that locks several rows takes them in this order, so that no two wait for each
 * other:
 *
 *   0. idempotency keys of events    by who has locked nothing yet; who stores several events leaves the locked ones to a transaction
 *   1. workspaces
 *   2. events, pending_holds         those who take several leave the locked ones out: nobody waits for them
 *   3. deliveries                    likewise, but that settling waits for those that its worker has claimed
 *   4. webhook_destinations          by webhook
 *   5. webhook_counts                by workspace; behind its webhook by who changes only one, and has its destination
 *   6. webhooks                      by id; emitting shares them with everything but a deletion
 *   7. webhook_statistics            by their key
 *   8. workspace_statistics          by their key
 *   9. idempotent_responses          the one of the request
 *
 * Whoever holds a later row already leaves deliveries that others have locked to a later step, too. Attempts, listeners and
 * notices are locked under the row that they belong to. SQLite has one writer, and locks nothing here.
 */
import { type RawBuilder, sql, type Transaction } from 'kysely';
import { isPostgres } from './is-postgres.ts';
import { isOneOf } from './json.ts';
import { byDialect } from './query-compilers.ts';
import type { Tables } from './schema.ts';

const statisticsKey = (owner: 'webhook_id' | 'workspace_id'): RawBuilder<unknown> =>
  sql.raw(`${owner}, span_ms, starts_at, succeeded, within_ms`);

/** The key of each table of statistics, in whose order its rows are locked. */
export const statisticsKeys = {
  webhook_statistics: statisticsKey('webhook_id'),
  workspace_statistics: statisticsKey('workspace_id'),
} as const;

/** Locks the rows of a query (of `table`), and leaves out those that others have locked. */
export const unlocked = (table?: string): RawBuilder<unknown> =>
  byDialect({
    sqlite: () => sql``,
    postgres: () => sql`for update ${table === undefined ? sql`` : sql`of ${sql.ref(table)}`} skip locked`,
  });

/** The number of the advisory lock of an event's idempotency key on Postgres: a row that is not committed can only be waited for. */
export const keyLock = (
  workspaceId: RawBuilder<unknown>,
  accountId: RawBuilder<unknown>,
  key: RawBuilder<unknown>,
): RawBuilder<unknown> =>
  sql`hashtextextended(${workspaceId} || ' ' || coalesce(${accountId}, '') || ' ' || ${key}, 0)`;

/** Waits for who stores an event under the key. */
export async function lockKey(
  transaction: Transaction<Tables>,
  { workspaceId, accountId }: { readonly workspaceId: string; readonly accountId: string | null },
  key: string,
): Promise<void> {
  if (!isPostgres(transaction)) return;
  const lock = keyLock(sql`${workspaceId}::text`, sql`${accountId}::text`, sql`${key}::text`);
  await sql`select pg_advisory_xact_lock(${lock})`.execute(transaction);
}

/** Locks a workspace: of two that count what it has, the second counts what the first has added. SQLite has one writer, which this waits for. */
export async function lockWorkspace(transaction: Transaction<Tables>, workspaceId: string): Promise<void> {
  await transaction
    .updateTable('workspaces')
    .set(({ ref }) => ({ name: ref('name') }))
    .where('id', '=', workspaceId)
    .execute();
}

/** Locks deliveries that nobody has locked. @returns their ids */
export async function lockFreeDeliveries(
  transaction: Transaction<Tables>,
  ids: readonly string[],
): Promise<readonly string[]> {
  if (!isPostgres(transaction) || ids.length === 0) return ids;
  const { rows } = await sql<{ id: string }>`
    select id from deliveries where ${isOneOf('id', ids)} for no key update skip locked`.execute(transaction);
  return rows.map(({ id }) => id);
}

/** Locks the destinations of webhooks. @returns the ids of existing ones, in lock order */
export async function lockDestinations(
  transaction: Transaction<Tables>,
  webhookIds: readonly string[],
): Promise<string[]> {
  if (webhookIds.length === 0) return [];
  const rows = await transaction
    .selectFrom('webhook_destinations')
    .select('webhook_id')
    .where(isOneOf('webhook_id', webhookIds))
    .orderBy('webhook_id')
    .forNoKeyUpdate()
    .execute();
  return rows.map(({ webhook_id }) => webhook_id);
}

/** Locks the counts of webhooks' workspaces, which change with the health of each. */
export async function lockCounts(transaction: Transaction<Tables>, webhookIds: readonly string[]): Promise<void> {
  if (!isPostgres(transaction) || webhookIds.length === 0) return;
  await sql`
    select from webhook_counts
    where workspace_id in (select workspace_id from webhooks where ${isOneOf('id', webhookIds)})
    order by workspace_id for no key update`.execute(transaction);
}

export async function lockStatistics(transaction: Transaction<Tables>, webhookId: string): Promise<void> {
  if (!isPostgres(transaction)) return;
  await sql`select from webhook_statistics where webhook_id = ${webhookId} order by ${statisticsKeys.webhook_statistics} for update`.execute(
    transaction,
  );
}
