/**
 * The SQL of claims, of deliveries that are due (due.ts).
 *
 * A claim moves `next_at` to the end of its lease and leaves a token. A dead worker's deliveries are due again when the
 * lease ends; a late worker's token matches nothing any more.
 */

import { sql, type Transaction } from 'kysely';
import type { WebhookSource } from '../events/sources.ts';
import { isPostgres } from '../store/is-postgres.ts';
import { rowsTable, rowsText } from '../store/json.ts';
import { processIdLength } from '../store/presence.ts';
import { limitOf } from '../store/query-compilers.ts';
import type { Tables } from '../store/schema.ts';
import type { RoomTaker } from './claim-quota.ts';
import { readyDeliveries } from './due.ts';

/** The claiming process's id, a dot, and a part that tells its claims apart. */
export const claimTokenOf = (processId: string, unique: string): string => `${processId}.${unique}`;

/** The beginning of `claim_token` that {@link processOf} reads. */
export const claimant = sql<string>`substr(claim_token, 1, ${sql.lit(processIdLength + 1)})`;

/** Null for an earlier version's token, which names no process. */
export const processOf = (start: string): string | null => (start.endsWith('.') ? start.slice(0, -1) : null);

export interface ClaimTerms {
  readonly claimToken: string;
  readonly leaseMs: number;
  readonly latestFirst: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
}

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
  readonly traceparent: string | null;
}

type Shares = readonly (readonly [webhookId: string, count: number])[];

interface DueDelivery {
  readonly id: string;
  readonly webhook_id: string;
  /** Size of its event's data. */
  readonly bytes: number;
}

/** On SQLite, which finds a row by its number with one search, and by its id with two. */
interface NumberedDelivery extends DueDelivery {
  readonly rowid: number;
}

interface ClaimStatements<Due extends DueDelivery> {
  /** With literals for `state` and `next_at`, which let the planners see that the partial index serves. */
  find(transaction: Transaction<Tables>, terms: ClaimTerms, shares: Shares): Promise<Due[]>;
  claim(transaction: Transaction<Tables>, terms: ClaimTerms, due: readonly Due[]): Promise<ClaimedRow[]>;
}

interface Claimed {
  readonly rows: ClaimedRow[];
  /** Whether there was no room for others. */
  readonly more: boolean;
}

/** Up to `count` per webhook, within the room for their data. */
export const claimDue = (
  transaction: Transaction<Tables>,
  terms: ClaimTerms,
  shares: Shares,
  room: RoomTaker,
): Promise<Claimed> =>
  isPostgres(transaction)
    ? claimBy(onPostgres, transaction, terms, shares, room)
    : claimBy(onSqlite, transaction, terms, shares, room);

async function claimBy<Due extends DueDelivery>(
  statements: ClaimStatements<Due>,
  transaction: Transaction<Tables>,
  terms: ClaimTerms,
  shares: Shares,
  room: RoomTaker,
): Promise<Claimed> {
  if (shares.length === 0) return { rows: [], more: false };
  // Data is read only where there is room for it.
  const due = await statements.find(transaction, terms, shares);
  const fitting = due.filter((delivery) => room.take(delivery.webhook_id, delivery.bytes));
  const more = fitting.length < due.length;
  if (fitting.length === 0) return { rows: [], more };
  const rows = await statements.claim(transaction, terms, fitting);
  const claimed = new Map(rows.map((row) => [row.id, row]));
  return { rows: fitting.flatMap(({ id }) => claimed.get(id) ?? []), more };
}

const direction = ({ latestFirst }: ClaimTerms) => sql.raw(latestFirst ? 'desc' : 'asc');

const eventColumns = sql.raw('e.account_id, e.account_type, e.source, e.event, e.data, e.traceparent');

const onSqlite: ClaimStatements<NumberedDelivery> = {
  /** SQLite has one writer at a time: nothing changes between this read and the claim. */
  async find(transaction, terms, shares) {
    const due: NumberedDelivery[] = [];
    for (const [webhookId, count] of shares) {
      const { rows } = await sql<NumberedDelivery>`
        select d.id, d.webhook_id, octet_length(e.data) as bytes, d.rowid as rowid
        from ${readyDeliveries} join events e on e.id = d.event_id
        where d.webhook_id = ${webhookId} and d.state = 'pending' and d.next_at = 0
        order by d.created_at ${direction(terms)} ${limitOf(count)}`.execute(transaction);
      due.push(...rows);
    }
    return due;
  },

  async claim(transaction, terms, due) {
    const rowids = JSON.stringify(due.map(({ rowid }) => rowid));
    await sql`
      update deliveries set claim_token = ${terms.claimToken}, next_at = ${terms.now + terms.leaseMs}
      where rowid in (select value from json_each(${rowids}))`.execute(transaction);
    const { rows } = await sql<ClaimedRow>`
      select d.id, d.webhook_id, d.attempts, d.attempts_before, ${eventColumns}
      from deliveries d join events e on e.id = d.event_id
      where d.rowid in (select value from json_each(${rowids}))`.execute(transaction);
    return rows;
  },
};

const onPostgres: ClaimStatements<DueDelivery> = {
  async find(transaction, terms, shares) {
    const rows = rowsText(
      { webhook_id: 'text', count: 'bigint', place: 'bigint' },
      shares.map(([webhook_id, count], place) => ({ webhook_id, count, place })),
    );
    const { rows: due } = await sql<DueDelivery>`
      select due.id, share.webhook_id, octet_length(e.data) as bytes
      from ${rowsTable('share', rows)}
      cross join lateral (
        select id, event_id, created_at from deliveries
        where webhook_id = share.webhook_id and state = 'pending' and next_at = 0
        order by created_at ${direction(terms)} limit share.count
        for update skip locked
      ) due
      join events e on e.id = due.event_id
      order by share.place, due.created_at ${direction(terms)}`.execute(transaction);
    return due;
  },

  async claim(transaction, terms, due) {
    const { rows } = await sql<ClaimedRow>`
      with d as (
        update deliveries set claim_token = ${terms.claimToken}, next_at = ${terms.now + terms.leaseMs}
        where id = any(${due.map(({ id }) => id)})
        returning id, webhook_id, event_id, attempts, attempts_before
      )
      select d.id, d.webhook_id, d.attempts, d.attempts_before, ${eventColumns}
      from d join events e on e.id = d.event_id`.execute(transaction);
    return rows;
  },
};
