/** Which deliveries a key can see: those of its workspace for events of accounts that it may act for. */
import { mayActFor } from '../../auth/account-access.ts';
import { amongAccounts } from '../../auth/among-accounts.ts';
import type { Caller } from '../../kernel/caller.ts';
import type { Database } from '../../store/database.ts';
import type { DeliveryTable } from '../../store/schema.ts';

/** Whether the key can see this delivery. */
export const canSee = (caller: Caller, delivery: Pick<DeliveryTable, 'workspace_id' | 'account_id'>): boolean =>
  delivery.workspace_id === caller.workspaceId && mayActFor(caller, delivery.account_id);

/** {@link canSee} as a query: every delivery that the key can see. */
export const visibleDeliveries = (database: Database, { workspaceId, accountIds }: Caller) =>
  storedDeliveries(database)
    .where('deliveries.workspace_id', '=', workspaceId)
    .where(amongAccounts(accountIds, 'deliveries.account_id'));

/** Every delivery, except those of webhooks that were deleted, which leave their workspace. */
export const storedDeliveries = (database: Database) =>
  database
    .selectFrom('deliveries')
    .innerJoin('webhooks', (join) =>
      join
        .onRef('webhooks.id', '=', 'deliveries.webhook_id')
        .onRef('webhooks.workspace_id', '=', 'deliveries.workspace_id'),
    )
    .selectAll('deliveries');
