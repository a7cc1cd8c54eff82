/** The deliveries of webhooks that are pending or held. Counting ends at a bound, so that a large backlog is no slow query. */
import { type Expression, expressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely';
import { amongAccounts } from '../../auth/among-accounts.ts';
import { findManageable } from '../webhooks/manageable.ts';
import type { DeliveriesPort } from './port.ts';
import { type DeliveryState, maxCounted, type WebhookBacklog } from './shapes.ts';
import type { StatisticsContext } from './statistics.ts';

interface Row {
  readonly id: string;
  readonly pending: number;
  readonly held: number;
  readonly oldest: number | null;
}

export const webhookBacklog =
  ({ database }: Pick<StatisticsContext, 'database'>): DeliveriesPort['backlog'] =>
  async ({ caller }, webhookIds) => {
    const managed = await findManageable(database, caller, webhookIds);
    if (managed.length === 0) return webhookIds.map(() => null);
    // Those that are held may be for accounts that the webhook listened to before.
    const isSeen = amongAccounts(caller.accountIds, 'account_id');
    const { rows } = await sql<Row>`
      select id, ${counted('pending', isSeen)} as pending, ${counted('held', isSeen)} as held,
        (select min(created_at) from deliveries where webhook_id = webhooks.id and state = 'pending') as oldest
      from webhooks where ${expressionBuilder<never, never>()(sql<string>`id`, 'in', managed)}`.execute(database);
    const byId = new Map(rows.map((row) => [row.id, toBacklog(row)]));
    return webhookIds.map((id) => byId.get(id) ?? null);
  };

/** How many deliveries of a webhook are in a state, up to {@link maxCounted}. */
const counted = (state: DeliveryState, isSeen: Expression<SqlBool>): RawBuilder<number> => sql`(
  select count(*) from (
    select 1 from deliveries
    where webhook_id = webhooks.id and state = ${sql.lit(state)} and ${isSeen}
    limit ${maxCounted}
  ) as part)`;

const toBacklog = ({ pending, held, oldest }: Row): WebhookBacklog => ({
  pending_count: Number(pending),
  held_count: Number(held),
  oldest_pending_at: oldest === null ? null : new Date(oldest).toISOString(),
});
