/** The rows of the database after a commit. */
import type { DeliveryTable } from '../../../src/store/schema.ts';
import type { SharedDatabase } from '../shared-database.ts';

export interface WebhookState {
  readonly id: string;
  readonly workspace_id: string;
  readonly enabled: number;
  readonly events: string;
  readonly account_ids: string;
  readonly failing_since: number | null;
  readonly paused_until: number;
  readonly disabled_reason: string | null;
}

export interface EventState {
  readonly id: string;
  readonly workspace_id: string;
  readonly account_id: string | null;
  readonly source: string | null;
  readonly event: string;
  readonly idempotency_key: string | null;
  readonly created_at: number;
}

export interface Snapshot {
  readonly deliveries: ReadonlyMap<string, DeliveryTable>;
  readonly webhooks: ReadonlyMap<string, WebhookState>;
  readonly events: ReadonlyMap<string, EventState>;
  /** The webhooks that were disabled, and whose pending deliveries are not all held yet. */
  readonly holding: ReadonlySet<string>;
}

export const emptySnapshot: Snapshot = {
  deliveries: new Map(),
  webhooks: new Map(),
  events: new Map(),
  holding: new Set(),
};

const byId = <Row extends { readonly id: string }>(rows: readonly Row[]) => new Map(rows.map((row) => [row.id, row]));

export const readSnapshot = (database: SharedDatabase): Snapshot => ({
  deliveries: byId(database.all<DeliveryTable>('select * from deliveries')),
  webhooks: byId(
    database.all<WebhookState>(`
      select id, workspace_id, enabled, events, account_ids, failing_since, paused_until, disabled_reason
      from webhooks join webhook_destinations on webhook_id = id`),
  ),
  events: byId(
    database.all<EventState>(
      'select id, workspace_id, account_id, source, event, idempotency_key, created_at from events',
    ),
  ),
  holding: new Set(
    database
      .all<{ webhook_id: string }>("select webhook_id from pending_holds where account_ids = '[]'")
      .map(({ webhook_id }) => webhook_id),
  ),
});

/** The accounts that a webhook listens to; empty for all. */
export const accountsOf = ({ account_ids }: WebhookState): readonly string[] => JSON.parse(account_ids) as string[];

/** Whether a webhook listens to the account of a delivery or event. */
export function listens(webhook: WebhookState, { account_id }: { readonly account_id: string | null }): boolean {
  const accounts = accountsOf(webhook);
  return accounts.length === 0 || (account_id !== null && accounts.includes(account_id));
}
