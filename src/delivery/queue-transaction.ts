/**
 * Settles and claims in one transaction: a busy worker needs one commit for many deliveries. Order and report are plain
 * data, for the thread of SQLite's writer.
 */

import { type Kysely, sql, type Transaction } from 'kysely';
import { countAttempts } from '../capabilities/deliveries/attempt-counts.ts';
import { accountIdsOf } from '../capabilities/webhooks/manageable.ts';
import { listensTo } from '../capabilities/webhooks/match.ts';
import type { WebhookFormat } from '../capabilities/webhooks/shapes.ts';
import { toError } from '../kernel/lib/to-error.ts';
import { isPostgres } from '../store/is-postgres.ts';
import { isOneOf, readJsonColumn, readOpenJsonColumn } from '../store/json.ts';
import type { Tables, WebhookDestinationTable, WebhookTable } from '../store/schema.ts';
import { isAhead } from '../store/statement-time.ts';
import { type ClaimedRow, type ClaimTerms, claimDue } from './claim.ts';
import {
  type Allocation,
  allocateFairly,
  type ClaimQuota,
  createRoomTaker,
  type RoomTaker,
  standingOfClaimant,
} from './claim-quota.ts';
import { type DueDestination, dueDestinations, readyWaiting, setAside } from './due.ts';
import { buildPayload, type PayloadTarget } from './payload.ts';
import {
  type DisabledWebhook,
  type ReleasedClaim,
  releaseClaims,
  type Settled,
  type Settlement,
  settle,
} from './settle.ts';

export interface QueueOrder extends ClaimTerms {
  readonly settlement: Settlement | null;
  readonly releases: readonly ReleasedClaim[];
  readonly quota: ClaimQuota | null;
  /** The wait for a row that others have locked, in milliseconds; by default that of the connection. */
  readonly lockWaitMs?: number | undefined;
  /** `now` by a clock that has not jumped ahead. */
  readonly believed?: number;
}

export interface QueueReport {
  /** Deliveries with a new state. */
  readonly changed: readonly string[];
  readonly settled: Settled['settled'];
  /** Disabled for their destinations' failures. */
  readonly disabled: readonly DisabledWebhook[];
  readonly claimed: readonly ClaimedBatch[];
  /** Whether only room for bytes was missing for more claims. */
  readonly more: boolean;
  /** See {@link Allocation.waiting}. */
  readonly waiting: number;
  /** The next claim's start, if not behind the last claimed: destinations up to here hold no other up. */
  readonly resumeAfter: string | null;
  /** Whether the next transaction may find more due, without anything new. */
  readonly unfinished: boolean;
}

interface ClaimedBatch {
  readonly webhook: Pick<
    WebhookTable,
    'id' | 'name' | 'request_url' | 'format' | 'account_ids' | 'headers' | 'data' | 'revision'
  > &
    Pick<WebhookDestinationTable, 'webhook_id' | 'secrets' | 'failing_since'>;
  readonly deliveries: readonly PreparedDelivery[];
}

export interface PreparedDelivery {
  readonly deliveryId: string;
  /** Or the reason for none. */
  readonly payload: string | Error;
  /** From 1, over all redeliveries. */
  readonly number: number;
  /** In the retry schedule, from 1. */
  readonly attempt: number;
  readonly traceparent: string | null;
}

export async function settleAndClaim(transaction: Transaction<Tables>, order: QueueOrder): Promise<QueueReport> {
  const { settlement, releases, now, believed, lockWaitMs } = order;
  if (isPostgres(transaction) && lockWaitMs !== undefined)
    await sql`select set_config('lock_timeout', ${`${lockWaitMs}`}, true)`.execute(transaction);
  await releaseClaims(transaction, releases);
  const { settled, disabled } = settlement === null ? nothing : await settle(transaction, settlement, now, believed);
  const report = await claimWithin(transaction, order);
  // Last: on Postgres other processes that send to the same webhook wait for its rows until the commit.
  if (settlement !== null) await countAttempts(transaction, settlement.samples, settled);
  return { ...report, settled, disabled, changed: [...settled.keys(), ...report.changed] };
}

export const transact = settleAndClaim;

const nothing: Settled = { settled: new Map(), disabled: [] };

async function claimWithin(
  transaction: Transaction<Tables>,
  order: QueueOrder,
): Promise<Omit<QueueReport, 'settled' | 'disabled'>> {
  const { quota } = order;
  if (quota === null)
    return { changed: [], claimed: [], more: false, waiting: 0, resumeAfter: null, unfinished: false };
  const { destinations, through, held, unfinished } = await findDue(transaction, quota, order);
  const { shares, waiting, isServed } = allocateFairly(destinations, quota);
  const standings = new Map(destinations.map((each) => [each.id, standingOfClaimant(quota, each)]));
  const takeRoom = () => createRoomTaker(quota.bytes, (id) => standings.get(id) ?? 'young');
  const { rows, more } = await claimDue(transaction, order, shares, takeRoom());
  const { claimed, refused, surplus } = await toBatches(transaction, rows, takeRoom());
  await holdClaimed(transaction, refused, order.claimToken);
  await releaseClaims(
    transaction,
    surplus.map((deliveryId) => ({ deliveryId, claimToken: order.claimToken })),
  );
  return {
    changed: [...held, ...refused],
    claimed,
    more: more || surplus.length > 0,
    waiting,
    resumeAfter: isServed ? through : null,
    unfinished,
  };
}

async function findDue(transaction: Kysely<Tables>, quota: ClaimQuota, terms: ClaimTerms) {
  const { now } = terms;
  const isMoreReady = await readyWaiting(transaction, terms);
  const { destinations: due, through } = await dueDestinations(transaction, quota);
  const isOpen = ({ enabled, paused_until }: DueDestination) =>
    enabled === 1 && !isAhead('webhook_destinations.paused_until', paused_until, now);
  const { open = [], closed = [] } = Object.groupBy(
    due.filter(({ is_holding }) => is_holding === 0),
    (each) => (isOpen(each) ? 'open' : 'closed'),
  );
  const { held, more } = await setAside(transaction, closed);
  const destinations = open.map(({ id, failing }) => ({ id, failing: failing === 1 }));
  return { destinations, through, held, unfinished: isMoreReady || more };
}

interface Batches {
  readonly claimed: ClaimedBatch[];
  /** Deliveries of webhooks that no longer listen to their accounts. */
  readonly refused: string[];
  /** Deliveries whose payloads have no room. */
  readonly surplus: string[];
}

/** @param room for payloads, which may be larger than their events */
async function toBatches(transaction: Kysely<Tables>, rows: readonly ClaimedRow[], room: RoomTaker): Promise<Batches> {
  const rowsOf = Map.groupBy(rows, (row) => row.webhook_id);
  if (rowsOf.size === 0) return { claimed: [], refused: [], surplus: [] };
  // By name: on Postgres this is a prepared statement.
  const { rows: webhooks } = await sql<ClaimedBatch['webhook']>`
    select id, name, request_url, format, account_ids, headers, data, revision, webhook_id, secrets, failing_since
    from webhooks join webhook_destinations on webhook_id = id
    where ${isOneOf('id', [...rowsOf.keys()])}`.execute(transaction);
  const webhookOf = new Map(webhooks.map((row) => [row.id, row]));
  const [refused, surplus]: [string[], string[]] = [[], []];
  const claimed = [...rowsOf].flatMap(([id, ofWebhook]) => {
    const webhook = webhookOf.get(id);
    // Deleted a moment ago, with its deliveries.
    if (webhook === undefined) return [];
    // One row says where and for whom to send: whoever took over the webhook since gets events of its present accounts only.
    const accountIds = accountIdsOf(webhook);
    const { listened = [], stray = [] } = Object.groupBy(ofWebhook, ({ account_id }) =>
      listensTo(accountIds, account_id) ? 'listened' : 'stray',
    );
    refused.push(...stray.map((row) => row.id));
    const deliveries: PreparedDelivery[] = [];
    const target = toPayloadTarget(webhook);
    for (const row of listened) {
      const prepared = prepare(row, target, (bytes) => room.take(id, bytes));
      if (prepared === null) surplus.push(row.id);
      else deliveries.push(prepared);
    }
    return { webhook, deliveries };
  });
  return { claimed, refused, surplus };
}

/** Those that became pending at the moment when their webhook's accounts changed. */
async function holdClaimed(transaction: Kysely<Tables>, ids: readonly string[], claimToken: string): Promise<void> {
  if (ids.length === 0) return;
  await transaction
    .updateTable('deliveries')
    .set({ state: 'held', claim_token: null, next_at: 0 })
    .where('claim_token', '=', claimToken)
    .where('id', 'in', ids)
    .execute();
}

function toPayloadTarget({ name, format, data }: ClaimedBatch['webhook']): PayloadTarget | Error {
  try {
    return { name, format: format as WebhookFormat, data: readJsonColumn(data) };
  } catch (error) {
    return toError(error);
  }
}

/** @returns null without room for the payload */
function prepare(
  row: ClaimedRow,
  target: PayloadTarget | Error,
  takeRoom: (bytes: number) => boolean,
): PreparedDelivery | null {
  const payload = payloadOf(row, target);
  if (!takeRoom(payload instanceof Error ? 0 : Buffer.byteLength(payload))) return null;
  return {
    deliveryId: row.id,
    payload,
    number: row.attempts + 1,
    attempt: row.attempts - row.attempts_before + 1,
    traceparent: row.traceparent,
  };
}

/** A payload that cannot be built fails its delivery alone. */
function payloadOf(row: ClaimedRow, target: PayloadTarget | Error): string | Error {
  if (target instanceof Error) return target;
  try {
    const event = {
      accountId: row.account_id,
      accountType: row.account_type,
      source: row.source,
      event: row.event,
      data: readOpenJsonColumn<Record<string, unknown>>(row.data),
    };
    return buildPayload(event, target);
  } catch (error) {
    return toError(error);
  }
}
