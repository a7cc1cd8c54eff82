/**
 * A turn of the durable queue: stores what came of claims, and claims what is due, in one transaction, so that a busy
 * worker needs one commit for many deliveries. What goes in and what comes out is plain data: a turn can be made in a
 * thread of its own.
 *
 * A claim moves `next_at` to the end of its lease and leaves a token. A worker that dies leaves its deliveries to be due
 * then, and one that comes back too late has a token that fits nothing any more.
 */
import { type Kysely, sql, type Transaction } from 'kysely';
import type { WebhookSource } from '../events/sources.ts';
import { rowsTable, rowsText } from '../store/json-rows.ts';
import type { Tables, WebhookDestinationTable, WebhookTable } from '../store/schema.ts';
import type { WebhookFormat } from '../webhooks/shapes.ts';
import { allot, type Demand } from './claim-quota.ts';
import { buildPayload, type PayloadTarget } from './payload.ts';
import { type Release, release, type SettleContext, type Settlement, settle } from './settle.ts';

export interface TurnOrder {
  /** Null where nothing came of anything yet. */
  readonly settlement: Settlement | null;
  /** Claims that are given back unused. */
  readonly releases: readonly Release[];
  /** What to claim; null for nothing. */
  readonly demand: Demand | null;
  /** The token of the claims of this turn. */
  readonly claim: string;
  readonly leaseMs: number;
  /** Whether what became due last comes first. */
  readonly latestFirst: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** What was claimed for one webhook. */
export interface ClaimedBatch {
  readonly webhook: WebhookTable;
  readonly destination: WebhookDestinationTable;
  readonly deliveries: readonly ClaimedDelivery[];
}

export interface ClaimedDelivery {
  readonly deliveryId: string;
  /** The text to send. */
  readonly payload: string;
  /** The number of the attempt to be made, from 1, over all. */
  readonly number: number;
  /** Its place in the retry table, from 1. */
  readonly attempt: number;
}

export interface TurnReport {
  /** The deliveries whose outcomes were stored: those whose claim had not gone to another. */
  readonly settled: readonly string[];
  readonly claimed: readonly ClaimedBatch[];
}

export async function makeTurn(
  transaction: Transaction<Tables>,
  context: SettleContext,
  order: TurnOrder,
): Promise<TurnReport> {
  const { settlement, releases, demand, now } = order;
  const settled = settlement === null ? [] : await settle(transaction, context, settlement, now);
  await release(transaction, context, releases);
  if (demand === null) return { settled, claimed: [] };
  const due = await dueEndpoints(transaction, now);
  const shares = allot(due, demand);
  const rows = shares.length === 0 ? [] : await claimers[context.kind](transaction, order, shares);
  return { settled, claimed: await toBatches(transaction, rows) };
}

async function toBatches(transaction: Kysely<Tables>, rows: readonly ClaimedRow[]): Promise<ClaimedBatch[]> {
  const rowsOf = Map.groupBy(rows, (row) => row.webhook_id);
  if (rowsOf.size === 0) return [];
  const ids = [...rowsOf.keys()];
  const webhooks = await transaction.selectFrom('webhooks').selectAll().where('id', 'in', ids).execute();
  const destinations = await transaction
    .selectFrom('webhook_destinations')
    .selectAll()
    .where('webhook_id', 'in', ids)
    .execute();
  const webhookOf = new Map(webhooks.map((row) => [row.id, row]));
  const destinationOf = new Map(destinations.map((row) => [row.webhook_id, row]));
  return [...rowsOf].flatMap(([id, claimed]) => {
    const [webhook, destination] = [webhookOf.get(id), destinationOf.get(id)];
    // A webhook takes its deliveries along: what is missing here was deleted a moment ago.
    if (webhook === undefined || destination === undefined) return [];
    const target = toPayloadTarget(webhook);
    return { webhook, destination, deliveries: claimed.map((row) => toDelivery(row, target)) };
  });
}

const toPayloadTarget = ({ name, format, data }: WebhookTable): PayloadTarget => ({
  name,
  format: format as WebhookFormat,
  data: JSON.parse(data),
});

const toDelivery = (row: ClaimedRow, target: PayloadTarget): ClaimedDelivery => ({
  deliveryId: row.id,
  payload: buildPayload(
    {
      accountId: row.account_id,
      accountType: row.account_type,
      source: row.source as WebhookSource | null,
      event: row.event,
      data: JSON.parse(row.data),
    },
    target,
  ),
  number: row.attempts + 1,
  attempt: row.attempts - row.attempts_before + 1,
});

/**
 * The endpoints that something is due for: enabled and not paused. The index is entered once for each endpoint, and not
 * read through: the backlog of one that hangs costs the others nothing.
 */
async function dueEndpoints(transaction: Kysely<Tables>, now: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with recursive waiting(webhook_id) as (
      select min(webhook_id) from deliveries where state = 'pending'
      union all
      select (select min(d.webhook_id) from deliveries d where d.state = 'pending' and d.webhook_id > waiting.webhook_id)
      from waiting where waiting.webhook_id is not null
    )
    select webhooks.id as id
    from waiting
    join webhooks on webhooks.id = waiting.webhook_id
    join webhook_destinations destination on destination.webhook_id = webhooks.id
    where webhooks.enabled = 1 and destination.paused_until <= ${now}
      and exists (
        select 1 from deliveries d
        where d.webhook_id = webhooks.id and d.state = 'pending' and d.next_at <= ${now}
      )`.execute(transaction);
  return rows.map(({ id }) => id);
}

type Claim = (
  transaction: Transaction<Tables>,
  order: TurnOrder,
  shares: readonly (readonly [webhookId: string, count: number])[],
) => Promise<ClaimedRow[]>;

const direction = ({ latestFirst }: TurnOrder) => sql.raw(latestFirst ? 'desc' : 'asc');

/** A delivery that was claimed, with the event that it tells of. */
interface ClaimedRow {
  readonly id: string;
  readonly webhook_id: string;
  readonly attempts: number;
  readonly attempts_before: number;
  readonly account_id: string | null;
  readonly account_type: string | null;
  readonly source: string | null;
  readonly event: string;
  readonly data: string;
}

const ofEvent = sql.raw('e.account_id, e.account_type, e.source, e.event, e.data');

/** `state` is compared with a literal, for the planners to see that the partial index serves. */
const claimers: Readonly<Record<SettleContext['kind'], Claim>> = {
  /** One writes at a time, so that what was read is there to be changed. */
  async sqlite(transaction, order, shares) {
    const claimed: ClaimedRow[] = [];
    for (const [webhookId, count] of shares) {
      const { rows } = await sql<ClaimedRow>`
        select d.id, d.webhook_id, d.attempts, d.attempts_before, ${ofEvent}
        from deliveries d join events e on e.id = d.event_id
        where d.webhook_id = ${webhookId} and d.state = 'pending' and d.next_at <= ${order.now}
        order by d.next_at ${direction(order)} limit ${count}`.execute(transaction);
      claimed.push(...rows);
    }
    if (claimed.length === 0) return [];
    await sql`
      update deliveries set claim_token = ${order.claim}, next_at = ${order.now + order.leaseMs}
      where id in (select value from json_each(${JSON.stringify(claimed.map(({ id }) => id))}))`.execute(transaction);
    return claimed;
  },

  async postgres(transaction, order, shares) {
    const rows = rowsText(shares.map(([webhook_id, count]) => ({ webhook_id, count })));
    const { rows: claimed } = await sql<ClaimedRow>`
      with chosen as (
        select due.id
        from ${rowsTable('postgres', 'share', { webhook_id: 'text', count: 'bigint' }, rows)}
        cross join lateral (
          select id from deliveries
          where webhook_id = share.webhook_id and state = 'pending' and next_at <= ${order.now}
          order by next_at ${direction(order)} limit share.count
          for update skip locked
        ) due
      ), d as (
        update deliveries set claim_token = ${order.claim}, next_at = ${order.now + order.leaseMs}
        where id in (select id from chosen)
        returning id, webhook_id, event_id, attempts, attempts_before
      )
      select d.id, d.webhook_id, d.attempts, d.attempts_before, ${ofEvent}
      from d join events e on e.id = d.event_id`.execute(transaction);
    return claimed;
  },
};
