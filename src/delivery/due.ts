/**
 * Destinations with deliveries due. Deliveries move from the index `deliveries_waiting` to `deliveries_ready` at their
 * time: claims read the latter, so that waiting ones cost nothing.
 */

import { type Kysely, type RawBuilder, sql } from 'kysely';
import { isOneOf, rowsTable, rowsText } from '../store/json.ts';
import { unlocked } from '../store/locks.ts';
import { byDialect } from '../store/query-compilers.ts';
import type { Tables } from '../store/schema.ts';
import { maxAheadMs } from '../store/statement-time.ts';
import type { ClaimQuota } from './claim-quota.ts';

/** Deliveries moved by one transaction, which stays short. */
const movedAtOnce = 1_000;

/** Destinations read by one transaction, besides those without room. */
const lookedAtAtOnce = 500;

/** Deliveries as `d`, for `next_at` 0: SQLite would read all pending ones of a webhook, in the index of pages. */
export const readyDeliveries: RawBuilder<unknown> = byDialect({
  sqlite: () => sql`deliveries d indexed by deliveries_ready`,
  postgres: () => sql`deliveries d`,
});

/**
 * Readies deliveries at their time, a retry's or a lease's end, and those whose time a wrong clock has written.
 * @returns whether there may be more
 */
export async function readyWaiting(
  transaction: Kysely<Tables>,
  { now, latestFirst }: { readonly now: number; readonly latestFirst: boolean },
): Promise<boolean> {
  const ready = async (time: RawBuilder<unknown>) => {
    const { numAffectedRows = 0n } = await sql`
      update deliveries set next_at = 0 where id in (
        select d.id from deliveries d where d.state = 'pending' and d.next_at > 0 and ${time}
        order by d.next_at limit ${sql.lit(movedAtOnce)} ${unlocked('d')}
      )`.execute(transaction);
    return numAffectedRows === BigInt(movedAtOnce);
  };
  const more = await ready(sql`d.next_at <= ${now}`);
  // Now and then: there are none, unless a clock was wrong.
  const moreBeyond = latestFirst && (await ready(sql`d.next_at > ${now + maxAheadMs['deliveries.next_at']}`));
  return more || moreBeyond;
}

export interface DueDestination {
  readonly id: string;
  readonly enabled: number;
  readonly paused_until: number;
  /** Since its last success: 0 or 1. */
  readonly failing: number;
  /** Whether its pending deliveries are being held since it was disabled (capabilities/webhooks/holds.ts): 0 or 1. */
  readonly is_holding: number;
}

export interface FoundDue {
  readonly destinations: readonly DueDestination[];
  /** The last destination of a bounded scan; null if all were found. */
  readonly through: string | null;
}

/**
 * Due destinations from the cursor on, up to a bound. A skip scan enters the index once per destination: the backlog of
 * one that hangs costs the others nothing. Where more are due, quick ones come first.
 */
export async function dueDestinations(
  transaction: Kysely<Tables>,
  { cursor, perDestination, standings }: Pick<ClaimQuota, 'cursor' | 'perDestination' | 'standings'>,
): Promise<FoundDue> {
  const limit = lookedAtAtOnce + [...perDestination.values()].filter((left) => left <= 0).length;
  const behind = await scan(transaction, cursor, null, limit);
  const isWhole = cursor === '' || behind.length === limit;
  const found = isWhole ? behind : [...behind, ...(await scan(transaction, '', cursor, limit - behind.length))];
  if (found.length < limit) return { destinations: found, through: null };
  const isFound = new Set(found.map(({ id }) => id));
  const quick = [...standings].flatMap(([id, standing]) => {
    const isMissing = standing === 'quick' && !isFound.has(id) && (perDestination.get(id) ?? 1) > 0;
    return isMissing ? id : [];
  });
  // First also so that the cursor stays in the order of the scan.
  const first = await dueAmong(transaction, quick.slice(-lookedAtAtOnce));
  return { destinations: [...first, ...found], through: found.at(-1)?.id ?? null };
}

const columnsOfDue = sql`webhooks.id, webhooks.enabled, destination.paused_until,
  case when destination.failing_since is null then 0 else 1 end as failing,
  case when exists (
    select 1 from pending_holds where pending_holds.webhook_id = webhooks.id and pending_holds.account_ids = '[]'
  ) then 1 else 0 end as is_holding`;

async function dueAmong(transaction: Kysely<Tables>, ids: readonly string[]): Promise<DueDestination[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<DueDestination>`
    select ${columnsOfDue}
    from webhooks join webhook_destinations destination on destination.webhook_id = webhooks.id
    where ${isOneOf('webhooks.id', ids)} and exists (
      select 1 from ${readyDeliveries}
      where d.webhook_id = webhooks.id and d.state = 'pending' and d.next_at = 0
    )`.execute(transaction);
  return rows;
}

/** @param last the scan's end; null for the index's */
async function scan(transaction: Kysely<Tables>, from: string, last: string | null, limit: number) {
  const upTo = last === null ? sql`` : sql`and d.webhook_id <= ${last}`;
  // Not `min`: expecting few due rows, Postgres would read them all.
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
 * Puts up to a thousand due deliveries aside that cannot be sent: a paused destination's until its pause ends, a
 * disabled one's by holding them. Webhook and destination are joined: a delivery made after the webhook was enabled again is
 * not held, and one of a destination whose pause has ended since it was read does not wait for its end.
 * @returns the ids of held ones, and whether there may be more
 */
export async function setAside(
  transaction: Kysely<Tables>,
  destinations: readonly DueDestination[],
): Promise<{ readonly held: readonly string[]; readonly more: boolean }> {
  if (destinations.length === 0) return { held: [], more: false };
  const rows = rowsText(
    { webhook_id: 'text', enabled: 'bigint', paused_until: 'bigint' },
    destinations.map(({ id, enabled, paused_until }) => ({ webhook_id: id, enabled, paused_until })),
  );
  const moved = await sql<{ id: string; state: string }>`
    update deliveries set
      state = case when aside.enabled = 0 then 'held' else 'pending' end,
      next_at = case when aside.enabled = 0 then 0 else aside.paused_until end
    from (
      select d.id, away.enabled, away.paused_until
      from ${rowsTable('away', rows)}
      join webhooks on webhooks.id = away.webhook_id and webhooks.enabled = away.enabled
      join webhook_destinations destination on destination.webhook_id = away.webhook_id
        and (away.enabled = 0 or destination.paused_until = away.paused_until)
      join ${readyDeliveries} on d.webhook_id = away.webhook_id and d.state = 'pending' and d.next_at = 0
      limit ${sql.lit(movedAtOnce)} ${unlocked('d')}
    ) aside
    where deliveries.id = aside.id
    returning deliveries.id as id, deliveries.state as state`.execute(transaction);
  const held = moved.rows.flatMap(({ id, state }) => (state === 'held' ? [id] : []));
  return { held, more: moved.rows.length === movedAtOnce };
}
