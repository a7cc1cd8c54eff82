/** Pending and held deliveries, of webhooks or of all of a workspace, counted up to a bound. */
import { expressionBuilder, type RawBuilder, sql } from 'kysely';
import type { Caller } from '../../kernel/caller.ts';
import { parts } from '../../kernel/lib/parts.ts';
import { amongAccounts } from '../../store/conditions.ts';
import type { Database } from '../../store/database.ts';
import type { ReadBudget } from '../../store/read-budget.ts';
import { findManageable } from '../webhooks/manageable.ts';
import type { DeliveriesPort } from './port.ts';
import { type DeliveryState, maxCounted, type WebhookBacklog } from './shapes.ts';

interface BacklogRow {
  readonly pending: number;
  readonly held: number;
  readonly oldest: number | null;
}

export const webhookBacklog =
  ({ database, budget }: BacklogContext): DeliveriesPort['backlog'] =>
  async (context, webhookIds) => {
    const { caller } = context;
    const managed = await findManageable(database, caller, webhookIds);
    const byId = new Map<string, WebhookBacklog>();
    for (const ids of parts(managed, () => 1, caller.accountIds === null ? atOnce.whole : atOnce.limited)) {
      const { rows } = await budget.scan(context, () =>
        sql<BacklogRow & { readonly id: string }>`
          select id, ${countedRows('pending', caller)} as pending, ${countedRows('held', caller)} as held,
            (select min(created_at) from deliveries where webhook_id = webhooks.id and state = 'pending') as oldest
          from webhooks where ${expressionBuilder<never, never>()(sql<string>`id`, 'in', ids)}`.execute(database),
      );
      for (const row of rows) byId.set(row.id, toBacklog(row));
    }
    return webhookIds.map((id) => byId.get(id) ?? null);
  };

export interface BacklogContext {
  readonly database: Database;
  readonly budget: Pick<ReadBudget, 'scan'>;
}

/** Webhooks of a statement. For a key that is limited to accounts, rows are looked at beside their index. */
const atOnce = { whole: { items: 25, weight: 25 }, limited: { items: 1, weight: 1 } } as const;

/** Up to {@link maxCounted}, of the oldest {@link maxRead}. */
function countedRows(state: DeliveryState, { accountIds }: Caller): RawBuilder<number> {
  const ofState = (column: string, max: number) => sql`
    select ${sql.ref(column)} from deliveries
    where webhook_id = webhooks.id and state = ${sql.lit(state)}
    order by created_at, id limit ${sql.lit(max)}`;
  // Held ones may be for accounts that the webhook listened to before.
  const seen =
    accountIds === null
      ? ofState('created_at', maxCounted)
      : sql`
        select 1 from (${ofState('account_id', maxRead)}) as oldest_deliveries
        where ${amongAccounts(accountIds, 'account_id')} limit ${sql.lit(maxCounted)}`;
  return sql`(select count(*) from (${seen}) as part)`;
}

/** Counts the backlog of all webhooks of a workspace. */
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
