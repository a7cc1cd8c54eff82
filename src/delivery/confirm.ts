/**
 * The last look before sending: any process may have disabled, changed or deleted a webhook since the claim. A message
 * to claiming processes would come after the command was acknowledged, and never on SQLite.
 *
 * Between the read and the request lies its way back, a millisecond or so: what the command meets there is sent as before.
 * To close this, each command would wait for the requests of all processes, or each request would hold a lock.
 */
import { sql } from 'kysely';
import type { Database } from '../store/database.ts';
import { type DatabaseKind, isOneOf } from '../store/json-rows.ts';

export interface ClaimTicket {
  readonly deliveryId: string;
  readonly claimToken: string;
  /** Of the webhook at the claim. */
  readonly revision: number;
}

/** @returns the ids of deliveries still claimed, for destinations unchanged and sent to now */
export async function confirmClaims(
  database: Database,
  kind: DatabaseKind,
  deliveries: readonly ClaimTicket[],
  now: number,
): Promise<ReadonlySet<string>> {
  const ids = deliveries.map(({ deliveryId }) => deliveryId);
  // By their ids, as a webhook has any number of pending deliveries: a query with a limit is planned by itself. With `with`
  // it would wait for the writer of SQLite.
  const { rows } = await sql<{ id: string; claim_token: string | null; revision: number }>`
    select claimed.id, claimed.claim_token, webhooks.revision
    from (
      select id, webhook_id, claim_token, state from deliveries where ${isOneOf(kind, 'id', ids)} limit ${ids.length}
    ) claimed
    join webhooks on webhooks.id = claimed.webhook_id
    join webhook_destinations destination on destination.webhook_id = claimed.webhook_id
    where claimed.state = 'pending' and webhooks.enabled = 1 and destination.paused_until <= ${now}`.execute(database);
  const stored = new Map(rows.map((row) => [row.id, row]));
  const confirmed = deliveries.flatMap(({ deliveryId, claimToken, revision }) => {
    const row = stored.get(deliveryId);
    return row?.claim_token === claimToken && row.revision === revision ? deliveryId : [];
  });
  return new Set(confirmed);
}
