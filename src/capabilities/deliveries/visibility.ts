/** A key sees the deliveries of its workspace for events of accounts that it may act for. */
import { type ExpressionBuilder, sql } from 'kysely';
import { type Caller, mayActFor, type Reach } from '../../kernel/caller.ts';
import { amongAccounts, isInWorkspace } from '../../store/conditions.ts';
import type { Database } from '../../store/database.ts';
import type { DeliveryTable, Tables } from '../../store/schema.ts';

export const canSee = (caller: Caller, delivery: Pick<DeliveryTable, 'workspace_id' | 'account_id'>): boolean =>
  delivery.workspace_id === caller.workspaceId && mayActFor(caller, delivery.account_id);

/** {@link canSee} as a query. */
export const visibleDeliveries = (database: Database, { workspaceId, accountIds }: Reach) =>
  storedDeliveries(database)
    .where(isInWorkspace('deliveries', workspaceId))
    .where(amongAccounts(accountIds, 'deliveries.account_id'));

/** Whether its webhook is not being deleted: such a webhook has left its workspace. */
export const isStored = ({ exists, selectFrom }: ExpressionBuilder<Tables, 'deliveries'>) =>
  exists(
    selectFrom('webhooks')
      .select('webhooks.id')
      .whereRef('webhooks.id', '=', 'deliveries.webhook_id')
      .whereRef('webhooks.workspace_id', '=', 'deliveries.workspace_id'),
  );

/** Named, so that statements can be prepared. */
const deliveryColumns = [
  'deliveries.id',
  'deliveries.workspace_id',
  'deliveries.webhook_id',
  'deliveries.event_id',
  'deliveries.account_id',
  'deliveries.event',
  'deliveries.state',
  'deliveries.attempts',
  'deliveries.attempts_before',
  'deliveries.next_at',
  'deliveries.claim_token',
  'deliveries.created_at',
  'deliveries.finished_at',
] as const;

/** Without deliveries of deleted webhooks, which leave their workspace. */
export const storedDeliveries = (database: Database) =>
  database
    .selectFrom('deliveries')
    .innerJoin('webhooks', (join) =>
      join
        .onRef('webhooks.id', '=', 'deliveries.webhook_id')
        // No index of workspaces finds deliveries (store/conditions.ts).
        .on(sql<boolean>`(webhooks.workspace_id = deliveries.workspace_id) is true`),
    )
    .select(deliveryColumns);
