/**
 * The SQL of a claim: how deliveries that are due (due.ts) are taken.
 *
 * A claim moves `next_at` to the end of its lease and leaves a token. If the worker dies, its deliveries are due again
 * when the lease ends; if it comes back too late, its token no longer matches anything.
 */
import { sql, type Transaction } from 'kysely';
import type { WebhookSource } from '../events/sources.ts';
import { type DatabaseKind, rowsTable, rowsText } from '../store/json-rows.ts';
import type { Tables } from '../store/schema.ts';
import type { RoomTaker } from './claim-quota.ts';
import { readyDeliveries } from './due.ts';

export interface ClaimTerms {
  /** The token of the claim. */
  readonly claimToken: string;
  readonly leaseMs: number;
  /** Whether the deliveries that were created last come first. */
  readonly latestFirst: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** A claimed delivery with its event. */
export interface ClaimedRow {
  readonly id: string;
  readonly webhook_id: string;
  readonly attempts: number;
  readonly attempts_before: number;
  readonly account_id: string | null;
  readonly account_type: string | null;
  readonly source: WebhookSource | null;
  readonly event: string;
  /** JSON. */
  readonly data: string;
  /** Of the span in which the event was emitted. */
  readonly traceparent: string | null;
}

type Shares = readonly (readonly [webhookId: string, count: number])[];

/**
 * Claims up to `count` due deliveries of each webhook, as long as there is room for the data of their events.
 * @returns the claimed deliveries, and whether there was no room for others
 */
export async function claimDue(
  transaction: Transaction<Tables>,
  kind: DatabaseKind,
  terms: ClaimTerms,
  shares: Shares,
  room: RoomTaker,
): Promise<{ readonly rows: ClaimedRow[]; readonly more: boolean }> {
  if (shares.length === 0) return { rows: [], more: false };
  // Their data is read only when it is known that there is room for it.
  const due = await dueDeliveries[kind](transaction, terms, shares);
  const ids = due.flatMap((delivery) => (room.take(delivery.webhook_id, delivery.bytes) ? delivery.id : []));
  const more = ids.length < due.length;
  if (ids.length === 0) return { rows: [], more };
  const claimed = new Map((await claim[kind](transaction, terms, ids)).map((row) => [row.id, row]));
  return { rows: ids.flatMap((id) => claimed.get(id) ?? []), more };
}

interface DueDelivery {
  readonly id: string;
  readonly webhook_id: string;
  /** The size of its event's data. */
  readonly bytes: number;
}

type FindDue = (transaction: Transaction<Tables>, terms: ClaimTerms, shares: Shares) => Promise<DueDelivery[]>;
type Claim = (transaction: Transaction<Tables>, terms: ClaimTerms, ids: readonly string[]) => Promise<ClaimedRow[]>;

const direction = ({ latestFirst }: ClaimTerms) => sql.raw(latestFirst ? 'desc' : 'asc');

const eventColumns = sql.raw('e.account_id, e.account_type, e.source, e.event, e.data, e.traceparent');

/** `state` and `next_at` are compared with literals, so that the planners see that the partial index serves. */
const dueDeliveries: Readonly<Record<DatabaseKind, FindDue>> = {
  /** SQLite has one writer at a time: what is read here, no other process changes before it is claimed. */
  async sqlite(transaction, terms, shares) {
    const due: DueDelivery[] = [];
    for (const [webhookId, count] of shares) {
      const { rows } = await sql<DueDelivery>`
        select d.id, d.webhook_id, octet_length(e.data) as bytes
        from ${readyDeliveries.sqlite} join events e on e.id = d.event_id
        where d.webhook_id = ${webhookId} and d.state = 'pending' and d.next_at = 0
        order by d.created_at ${direction(terms)} limit ${count}`.execute(transaction);
      due.push(...rows);
    }
    return due;
  },

  async postgres(transaction, terms, shares) {
    const text = rowsText(shares.map(([webhook_id, count], place) => ({ webhook_id, count, place })));
    const { rows } = await sql<DueDelivery>`
      select due.id, share.webhook_id, octet_length(e.data) as bytes
      from ${rowsTable('postgres', 'share', { webhook_id: 'text', count: 'bigint', place: 'bigint' }, text)}
      cross join lateral (
        select id, event_id, created_at from deliveries
        where webhook_id = share.webhook_id and state = 'pending' and next_at = 0
        order by created_at ${direction(terms)} limit share.count
        for update skip locked
      ) due
      join events e on e.id = due.event_id
      order by share.place, due.created_at ${direction(terms)}`.execute(transaction);
    return rows;
  },
};

const claim: Readonly<Record<DatabaseKind, Claim>> = {
  async sqlite(transaction, terms, ids) {
    const text = JSON.stringify(ids);
    await sql`
      update deliveries set claim_token = ${terms.claimToken}, next_at = ${terms.now + terms.leaseMs}
      where id in (select value from json_each(${text}))`.execute(transaction);
    const { rows } = await sql<ClaimedRow>`
      select d.id, d.webhook_id, d.attempts, d.attempts_before, ${eventColumns}
      from deliveries d join events e on e.id = d.event_id
      where d.id in (select value from json_each(${text}))`.execute(transaction);
    return rows;
  },

  async postgres(transaction, terms, ids) {
    const { rows } = await sql<ClaimedRow>`
      with d as (
        update deliveries set claim_token = ${terms.claimToken}, next_at = ${terms.now + terms.leaseMs}
        where id = any(${ids})
        returning id, webhook_id, event_id, attempts, attempts_before
      )
      select d.id, d.webhook_id, d.attempts, d.attempts_before, ${eventColumns}
      from d join events e on e.id = d.event_id`.execute(transaction);
    return rows;
  },
};
