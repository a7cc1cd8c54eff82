/** Pending and held deliveries, of webhooks or of all of a workspace, counted up to a bound. */
import { type Expression, expressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely';
import { amongAccounts } from '../../store/conditions.ts';
import type { Database } from '../../store/database.ts';
import { findManageable } from '../webhooks/manageable.ts';
import type { DeliveriesPort } from './port.ts';
import { type DeliveryState, maxCounted, type WebhookBacklog } from './shapes.ts';
import type { StatisticsContext } from './statistics.ts';

interface BacklogRow {
  readonly pending: number;
  readonly held: number;
  readonly oldest: number | null;
}

export const webhookBacklog =
  ({ database }: Pick<StatisticsContext, 'database'>): DeliveriesPort['backlog'] =>
  async ({ caller }, webhookIds) => {
    const managed = await findManageable(database, caller, webhookIds);
    if (managed.length === 0) return webhookIds.map(() => null);
    // Held ones may be for accounts that the webhook listened to before.
    const isSeen = amongAccounts(caller.accountIds, 'account_id');
    const { rows } = await sql<BacklogRow & { readonly id: string }>`
      select id, ${countedRows('pending', isSeen)} as pending, ${countedRows('held', isSeen)} as held,
        (select min(created_at) from deliveries where webhook_id = webhooks.id and state = 'pending') as oldest
      from webhooks where ${expressionBuilder<never, never>()(sql<string>`id`, 'in', managed)}`.execute(database);
    const byId = new Map(rows.map((row) => [row.id, toBacklog(row)]));
    return webhookIds.map((id) => byId.get(id) ?? null);
  };

/** Up to {@link maxCounted}. */
const countedRows = (state: DeliveryState, isSeen: Expression<SqlBool>): RawBuilder<number> => sql`(
  select count(*) from (
    select 1 from deliveries
    where webhook_id = webhooks.id and state = ${sql.lit(state)} and ${isSeen}
    limit ${sql.lit(maxCounted)}
  ) as part)`;

/** Of all webhooks of a workspace. */
export async function workspaceBacklog(database: Database, workspaceId: string): Promise<WebhookBacklog> {
  const { rows } = await sql<BacklogRow>`
    select ${countedIn(workspaceId, 'pending')} as pending, ${countedIn(workspaceId, 'held')} as held,
      (select created_at from ${deliveriesIn(workspaceId, 'pending')} order by created_at limit 1) as oldest`.execute(
    database,
  );
  const [row = { pending: 0, held: 0, oldest: null }] = rows;
  return toBacklog(row);
}

/** Deliveries that are looked at: a webhook that is being deleted may have a million. */
const maxRead = 10 * maxCounted;

/** Without those of webhooks that are being deleted, which leave their workspace. */
const deliveriesIn = (workspaceId: string, state: DeliveryState) => sql`(
  select webhook_id, created_at from deliveries
  where workspace_id = ${workspaceId} and state = ${sql.lit(state)}
  order by created_at, id limit ${sql.lit(maxRead)}
) as oldest_deliveries where exists (
  select 1 from webhooks where webhooks.id = webhook_id and webhooks.workspace_id = ${workspaceId}
)`;

const countedIn = (workspaceId: string, state: DeliveryState): RawBuilder<number> => sql`(
  select count(*) from (select 1 from ${deliveriesIn(workspaceId, state)} limit ${sql.lit(maxCounted)}) as part)`;

const toBacklog = ({ pending, held, oldest }: BacklogRow): WebhookBacklog => ({
  pending_count: Number(pending),
  held_count: Number(held),
  oldest_pending_at: oldest,
});
