/**
 * Which destinations have deliveries due. A delivery that waits for its time stands in the index `deliveries_waiting`, and
 * when it has come, in `deliveries_ready`: claims read this one, so that what waits costs them nothing.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { type DatabaseKind, isOneOf, rowsTable, rowsText } from '../store/json-rows.ts';
import { unlocked } from '../store/locks.ts';
import type { Tables } from '../store/schema.ts';
import type { ClaimQuota } from './claim-quota.ts';

/** Deliveries that one transaction moves, so that it is short whatever has come together. */
const movedAtOnce = 1_000;

/** Destinations with due deliveries that one transaction looks at, beside those that have no room. */
const lookedAtAtOnce = 500;

/**
 * Deliveries as `d`, for a statement that asks for pending ones of a webhook whose `next_at` is 0. SQLite would read all
 * pending ones, in the index that pages are read from.
 */
export const readyDeliveries: Readonly<Record<DatabaseKind, RawBuilder<unknown>>> = {
  sqlite: sql`deliveries d indexed by deliveries_ready`,
  postgres: sql`deliveries d`,
};

/**
 * Makes deliveries ready whose time has come: that of a retry, or the end of a lease.
 * @param now epoch milliseconds
 * @returns whether there may be more of them
 */
export async function readyWaiting(transaction: Kysely<Tables>, kind: DatabaseKind, now: number): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update deliveries set next_at = 0 where id in (
      select d.id from deliveries d where d.state = 'pending' and d.next_at > 0 and d.next_at <= ${now}
      order by d.next_at limit ${movedAtOnce} ${unlocked(kind, 'd')}
    )`.execute(transaction);
  return numAffectedRows === BigInt(movedAtOnce);
}

/** A destination with deliveries that are due. */
export interface DueDestination {
  readonly id: string;
  readonly enabled: number;
  /** Epoch milliseconds. */
  readonly paused_until: number;
  /** Whether it has been failing since its last success: 0 or 1. */
  readonly failing: number;
  /** Whether its pending deliveries are being held, since it was disabled (capabilities/webhooks/holds.ts): 0 or 1. */
  readonly is_holding: number;
}

/**
 * The destinations that have deliveries due, beginning behind the cursor, up to a bound. The index is entered once for each of
 * them instead of being read through (a skip scan): the backlog of one that hangs costs the others nothing. Where more are due,
 * those that are quick come first, wherever they stand.
 */
export async function dueDestinations(
  transaction: Kysely<Tables>,
  kind: DatabaseKind,
  { cursor, perDestination, standings }: Pick<ClaimQuota, 'cursor' | 'perDestination' | 'standings'>,
): Promise<DueDestination[]> {
  const limit = lookedAtAtOnce + [...perDestination.values()].filter((left) => left <= 0).length;
  const behind = await scan(transaction, cursor, null, limit);
  const isWhole = cursor === '' || behind.length === limit;
  const found = isWhole ? behind : [...behind, ...(await scan(transaction, '', cursor, limit - behind.length))];
  if (found.length < limit) return found;
  const isFound = new Set(found.map(({ id }) => id));
  const quick = [...standings].flatMap(([id, standing]) => {
    const isMissing = standing === 'quick' && !isFound.has(id) && (perDestination.get(id) ?? 1) > 0;
    return isMissing ? id : [];
  });
  // First also so that the cursor stays in the order of the scan.
  return [...(await dueAmong(transaction, kind, quick.slice(-lookedAtAtOnce))), ...found];
}

const columnsOfDue = sql`webhooks.id, webhooks.enabled, destination.paused_until,
  case when destination.failing_since is null then 0 else 1 end as failing,
  case when exists (
    select 1 from pending_holds where pending_holds.webhook_id = webhooks.id and pending_holds.account_ids = '[]'
  ) then 1 else 0 end as is_holding`;

/** Those of the destinations that have deliveries due. */
async function dueAmong(
  transaction: Kysely<Tables>,
  kind: DatabaseKind,
  ids: readonly string[],
): Promise<DueDestination[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<DueDestination>`
    select ${columnsOfDue}
    from webhooks join webhook_destinations destination on destination.webhook_id = webhooks.id
    where ${isOneOf(kind, 'webhooks.id', ids)} and exists (
      select 1 from ${readyDeliveries[kind]}
      where d.webhook_id = webhooks.id and d.state = 'pending' and d.next_at = 0
    )`.execute(transaction);
  return rows;
}

/** @param last where the scan ends; null for the end of the index */
async function scan(transaction: Kysely<Tables>, from: string, last: string | null, limit: number) {
  const upTo = last === null ? sql`` : sql`and d.webhook_id <= ${last}`;
  // Not `min`: where Postgres expects next to nothing to be due, it would read all that is.
  const first = (behind: RawBuilder<unknown>) => sql`
    select d.webhook_id from deliveries d
    where d.state = 'pending' and d.next_at = 0 and d.webhook_id > ${behind} ${upTo}
    order by d.webhook_id limit 1`;
  const { rows } = await sql<DueDestination>`
    with recursive due(webhook_id, place) as (
      select (${first(sql`${from}`)}), 1
      union all
      select (${first(sql`due.webhook_id`)}), place + 1
      from due where due.webhook_id is not null and place < ${limit}
    )
    select ${columnsOfDue}
    from due
    join webhooks on webhooks.id = due.webhook_id
    join webhook_destinations destination on destination.webhook_id = due.webhook_id
    order by due.place`.execute(transaction);
  return rows;
}

/**
 * Puts the due deliveries of destinations aside that nothing is sent to, up to a thousand: those of a paused one wait until
 * its pause ends, and those of a disabled one are held. So the next claim does not meet them again. (The webhook is joined, so
 * that a delivery that was created after the webhook has been enabled is not held.)
 * @returns the ids of those that are held, and whether there may be more
 */
export async function setAside(
  transaction: Kysely<Tables>,
  kind: DatabaseKind,
  destinations: readonly DueDestination[],
): Promise<{ readonly held: readonly string[]; readonly more: boolean }> {
  if (destinations.length === 0) return { held: [], more: false };
  const rows = rowsText(
    destinations.map(({ id, enabled, paused_until }) => ({ webhook_id: id, enabled, paused_until })),
  );
  const columns = { webhook_id: 'text', enabled: 'bigint', paused_until: 'bigint' } as const;
  const moved = await sql<{ id: string; state: string }>`
    update deliveries set
      state = case when aside.enabled = 0 then 'held' else 'pending' end,
      next_at = case when aside.enabled = 0 then 0 else aside.paused_until end
    from (
      select d.id, away.enabled, away.paused_until
      from ${rowsTable(kind, 'away', columns, rows)}
      join webhooks on webhooks.id = away.webhook_id and webhooks.enabled = away.enabled
      join ${readyDeliveries[kind]} on d.webhook_id = away.webhook_id and d.state = 'pending' and d.next_at = 0
      limit ${movedAtOnce} ${unlocked(kind, 'd')}
    ) aside
    where deliveries.id = aside.id
    returning deliveries.id as id, deliveries.state as state`.execute(transaction);
  const held = moved.rows.flatMap(({ id, state }) => (state === 'held' ? [id] : []));
  return { held, more: moved.rows.length === movedAtOnce };
}
