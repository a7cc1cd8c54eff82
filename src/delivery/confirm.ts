/**
 * The last look before sending: any process may have disabled, changed or deleted a webhook since the claim. A message
 * to claiming processes would come after the command was acknowledged, and never on SQLite.
 *
 * Between the read and the request lies its way back, a millisecond or so: what the command meets there is sent as before.
 * To close this, each command would wait for the requests of all processes, or each request would hold a lock.
 */
import { sql } from 'kysely';
import type { Database } from '../store/database.ts';
import { isOneOf } from '../store/json.ts';
import { maxAheadMs } from '../store/statement-time.ts';

/** More than are looked for at once. */
const manyClaims = 10_000;

export interface ClaimTicket {
  readonly deliveryId: string;
  readonly claimToken: string;
  readonly destination: { readonly webhookId: string };
  /** Revision of the webhook at the claim. */
  readonly revision: number;
}

/** Names a claim and one webhook: others may take what one webhook has left of a claim, and leave that of another. */
const sampleOf = (claimToken: string | null, webhookId: string | null): string => `${claimToken} ${webhookId}`;

interface ReadRow {
  readonly webhook_id: string;
  /** Revision of a webhook; null for a sample. */
  readonly revision: number | null;
  /** Claim of a sample. */
  readonly claim_token: string | null;
}

/**
 * Reads each webhook, and of each claim one delivery of each webhook, the sample: what takes one from us takes all that the
 * claim has left of its webhook, but for those held or deleted with it. A row for each delivery would cost a tenth of the CPU
 * time of sending it.
 *
 * @returns the ids of deliveries still claimed, for destinations unchanged and sent to now
 */
export async function confirmClaims(
  database: Database,
  tickets: readonly ClaimTicket[],
  now: number,
): Promise<ReadonlySet<string>> {
  const webhookIds = [...new Set(tickets.map(({ destination }) => destination.webhookId))];
  const samples = new Map(tickets.map((ticket) => [sampleOf(ticket.claimToken, ticket.destination.webhookId), ticket]));
  const sampleIds = [...samples.values()].map(({ deliveryId }) => deliveryId);
  // By their ids, as a webhook has any number of pending deliveries: a query with a limit is planned by itself. With `with`
  // it would wait for the writer of SQLite.
  const { rows } = await sql<ReadRow>`
    select id as webhook_id, revision, null as claim_token
    from webhooks join webhook_destinations on webhook_id = id
    where ${isOneOf('id', webhookIds)} and enabled = 1
      and (paused_until <= ${now} or paused_until > ${now + maxAheadMs['webhook_destinations.paused_until']})
    union all
    select webhook_id, null, claim_token
    from (select webhook_id, claim_token, state from deliveries where ${isOneOf('id', sampleIds)} limit ${sql.lit(manyClaims)}) claimed
    where state = 'pending'`.execute(database);
  const revisions = new Map<string, number>();
  const claims = new Set<string>();
  for (const { webhook_id, revision, claim_token } of rows) {
    if (revision === null) claims.add(sampleOf(claim_token, webhook_id));
    else revisions.set(webhook_id, revision);
  }
  const confirmed = tickets.filter(
    ({ claimToken, destination: { webhookId }, revision }) =>
      revisions.get(webhookId) === revision && claims.has(sampleOf(claimToken, webhookId)),
  );
  return new Set(confirmed.map(({ deliveryId }) => deliveryId));
}
