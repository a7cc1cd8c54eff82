/**
 * The last look before sending: any process may have disabled, changed or deleted a webhook since the claim. A message
 * to claiming processes would come after the command was acknowledged, and never on SQLite.
 *
 * Between the read and the request lies its way back, a millisecond or so: what the command meets there is sent as before.
 * To close this, each command would wait for the requests of all processes, or each request would hold a lock.
 */
import { sql } from 'kysely';
import type { Database } from '../store/database.ts';
import { type DatabaseKind, isOneOf } from '../store/json.ts';
import { maxAheadMs } from '../store/statement-time.ts';

/** More than are looked for at once. */
const manyClaims = 10_000;

export interface ClaimTicket {
  readonly deliveryId: string;
  readonly claimToken: string;
  readonly destination: { readonly webhookId: string };
  /** Of the webhook at the claim. */
  readonly revision: number;
}

/**
 * Reads each webhook, and of each claim one delivery, the sample: what takes one from us takes all that the claim has left, but
 * for those held or deleted with their webhook. A row for each delivery would cost a tenth of the CPU time of sending it.
 *
 * @returns the ids of deliveries still claimed, for destinations unchanged and sent to now
 */
export async function confirmClaims(
  database: Database,
  kind: DatabaseKind,
  tickets: readonly ClaimTicket[],
  now: number,
): Promise<ReadonlySet<string>> {
  const webhookIds = [...new Set(tickets.map(({ destination }) => destination.webhookId))];
  const samples = new Map(tickets.map((ticket) => [ticket.claimToken, ticket]));
  const sampleIds = [...samples.values()].map(({ deliveryId }) => deliveryId);
  // By their ids, as a webhook has any number of pending deliveries: a query with a limit is planned by itself. With `with`
  // it would wait for the writer of SQLite.
  const { rows } = await sql<{ webhook_id: string | null; revision: number | null; claim_token: string | null }>`
    select id as webhook_id, revision, null as claim_token
    from webhooks join webhook_destinations on webhook_id = id
    where ${isOneOf(kind, 'id', webhookIds)} and enabled = 1
      and (paused_until <= ${now} or paused_until > ${now + maxAheadMs['webhook_destinations.paused_until']})
    union all
    select null, null, claim_token
    from (select claim_token, state from deliveries where ${isOneOf(kind, 'id', sampleIds)} limit ${sql.lit(manyClaims)}) claimed
    where state = 'pending'`.execute(database);
  const revisions = new Map(rows.map(({ webhook_id, revision }) => [webhook_id, revision]));
  const claims = new Set(rows.map(({ claim_token }) => claim_token));
  const isUnchanged = ({ destination, revision }: ClaimTicket) => revisions.get(destination.webhookId) === revision;
  const { confirmed = [], unknown = [] } = Object.groupBy(tickets.filter(isUnchanged), ({ claimToken }) => {
    if (claims.has(claimToken)) return 'confirmed';
    const sample = samples.get(claimToken);
    return sample === undefined || isUnchanged(sample) ? 'lost' : 'unknown';
  });
  // Of other webhooks than the samples were, so that this ends.
  const others = unknown.length === 0 ? [] : await confirmClaims(database, kind, unknown, now);
  return new Set([...confirmed.map(({ deliveryId }) => deliveryId), ...others]);
}
