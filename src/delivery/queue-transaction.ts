/**
 * One transaction of the durable queue: it settles what was sent and claims what is due, so that a busy worker needs one
 * commit for many deliveries. Input and output are plain data, because on SQLite it runs in a thread of its own.
 */
import type { Kysely, Transaction } from 'kysely';
import { readJsonColumn } from '../store/json.ts';
import type { DatabaseKind } from '../store/json-rows.ts';
import type { Tables, WebhookDestinationTable, WebhookTable } from '../store/schema.ts';
import { accountIdsOf } from '../webhooks/manageable.ts';
import type { WebhookFormat } from '../webhooks/shapes.ts';
import { type ClaimedRow, type ClaimTerms, claimDue, dueDestinations } from './claim.ts';
import { allocateFairly, type ClaimQuota } from './claim-quota.ts';
import { listensTo } from './match.ts';
import { buildPayload, type PayloadTarget } from './payload.ts';
import { type Release, releaseClaims, type Settlement, settle } from './settle.ts';

export interface QueueOrder extends ClaimTerms {
  /** What to settle; null for nothing. */
  readonly settlement: Settlement | null;
  /** Claims to give back unused. */
  readonly releases: readonly Release[];
  /** How much to claim; null for nothing. */
  readonly quota: ClaimQuota | null;
}

export interface QueueReport {
  /** The deliveries whose state changed, for those who listen. */
  readonly changed: readonly string[];
  readonly claimed: readonly ClaimedBatch[];
}

/** The claimed deliveries of one webhook. */
export interface ClaimedBatch {
  readonly webhook: WebhookTable;
  readonly destination: WebhookDestinationTable;
  readonly deliveries: readonly PreparedDelivery[];
}

export interface PreparedDelivery {
  readonly deliveryId: string;
  /** The text to send. */
  readonly payload: string;
  /** The number of the attempt to be made, from 1, over all redeliveries. */
  readonly number: number;
  /** Its place in the retry schedule, from 1. */
  readonly attempt: number;
}

export async function settleAndClaim(
  transaction: Transaction<Tables>,
  kind: DatabaseKind,
  order: QueueOrder,
): Promise<QueueReport> {
  const { settlement, releases, quota, now } = order;
  const changed = settlement === null ? [] : await settle(transaction, kind, settlement, now);
  await releaseClaims(transaction, kind, releases);
  if (quota === null) return { changed, claimed: [] };
  const shares = allocateFairly(await dueDestinations(transaction, now), quota);
  const rows = await claimDue(transaction, kind, order, shares);
  const { claimed, refused } = await toBatches(transaction, rows);
  await holdClaimed(transaction, refused, order.claimToken);
  return { changed: [...changed, ...refused], claimed };
}

/** @returns what to send, and the ids of the deliveries whose webhooks no longer listen to their accounts */
async function toBatches(
  transaction: Kysely<Tables>,
  rows: readonly ClaimedRow[],
): Promise<{ readonly claimed: ClaimedBatch[]; readonly refused: string[] }> {
  const rowsOf = Map.groupBy(rows, (row) => row.webhook_id);
  if (rowsOf.size === 0) return { claimed: [], refused: [] };
  const ids = [...rowsOf.keys()];
  const webhooks = await transaction.selectFrom('webhooks').selectAll().where('id', 'in', ids).execute();
  const destinations = await transaction
    .selectFrom('webhook_destinations')
    .selectAll()
    .where('webhook_id', 'in', ids)
    .execute();
  const webhookOf = new Map(webhooks.map((row) => [row.id, row]));
  const destinationOf = new Map(destinations.map((row) => [row.webhook_id, row]));
  const refused: string[] = [];
  const claimed = [...rowsOf].flatMap(([id, ofWebhook]) => {
    const [webhook, destination] = [webhookOf.get(id), destinationOf.get(id)];
    // A webhook takes its deliveries along: one that is missing here was deleted a moment ago.
    if (webhook === undefined || destination === undefined) return [];
    const target = toPayloadTarget(webhook);
    // The row that says where to send is the row that says for whom: whoever has taken over the webhook since an event
    // was stored gets the events of its present accounts only.
    const accountIds = accountIdsOf(webhook);
    const { listened = [], stray = [] } = Object.groupBy(ofWebhook, ({ account_id }) =>
      listensTo(accountIds, account_id) ? 'listened' : 'stray',
    );
    refused.push(...stray.map((row) => row.id));
    return { webhook, destination, deliveries: listened.map((row) => prepare(row, target)) };
  });
  return { claimed, refused };
}

/**
 * Holds deliveries that were claimed and must not be sent. Those that were pending when their webhook's accounts changed are
 * held already; these became pending at the same moment.
 */
async function holdClaimed(transaction: Kysely<Tables>, ids: readonly string[], claimToken: string): Promise<void> {
  if (ids.length === 0) return;
  await transaction
    .updateTable('deliveries')
    .set({ state: 'held', claim_token: null, next_at: 0 })
    .where('claim_token', '=', claimToken)
    .where('id', 'in', ids)
    .execute();
}

const toPayloadTarget = ({ name, format, data }: WebhookTable): PayloadTarget => ({
  name,
  format: format as WebhookFormat,
  data: readJsonColumn(data),
});

const prepare = (row: ClaimedRow, target: PayloadTarget): PreparedDelivery => ({
  deliveryId: row.id,
  payload: buildPayload(
    {
      accountId: row.account_id,
      accountType: row.account_type,
      source: row.source,
      event: row.event,
      data: readJsonColumn(row.data),
    },
    target,
  ),
  number: row.attempts + 1,
  attempt: row.attempts - row.attempts_before + 1,
});
