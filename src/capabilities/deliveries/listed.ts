/** The deliveries of a webhook that fit a filter, as queries: for a page of them, and for their number. */
import { requireAccount } from '../../auth/account-access.ts';
import { amongAccounts } from '../../auth/among-accounts.ts';
import type { Caller } from '../../kernel/caller.ts';
import { firstMillisecondFrom } from '../../kernel/date-time.ts';
import type { Database } from '../../store/database.ts';
import { byCreation, mergedIds } from '../../store/keyset.ts';
import { type DeliveryFilter, deliveryStates } from './shapes.ts';
import { visibleDeliveries } from './visibility.ts';

export const newestFirst = byCreation('deliveries', 'desc');

const statesOf = ({ state = [] }: DeliveryFilter) => [...new Set(state.length === 0 ? deliveryStates : state)];

/**
 * The deliveries in the order of {@link newestFirst}, behind a place in it.
 * @throws ServiceError `account_mismatch` for an account beyond the key
 */
export function listedDeliveries(database: Database, caller: Caller, filter: DeliveryFilter) {
  return (after: readonly (string | number)[] | null, count: number) => {
    // Each state is a range of an index.
    const ofStates = statesOf(filter).map((state) =>
      fittingDeliveries(database, caller, filter)
        .where('workspace_id', '=', caller.workspaceId)
        .where('state', '=', state)
        .select(['id', 'created_at']),
    );
    const ids = mergedIds(ofStates, newestFirst, after, count);
    return visibleDeliveries(database, caller).where('deliveries.id', 'in', ids);
  };
}

/**
 * The ids of the deliveries, to be counted.
 * @throws ServiceError `account_mismatch` for an account beyond the key
 */
export function countedDeliveries(database: Database, caller: Caller, filter: DeliveryFilter) {
  // Deliveries are of the workspace of their webhook. That it is the caller's is asked once, so that the index is enough.
  return fittingDeliveries(database, caller, filter)
    .where('state', 'in', statesOf(filter))
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('webhooks')
          .select('webhooks.id')
          .where('webhooks.id', '=', filter.webhook_id)
          .where('webhooks.workspace_id', '=', caller.workspaceId),
      ),
    )
    .select('id');
}

/** The deliveries of the webhook, in whatever workspace and state, that the other fields of the filter let through. */
function fittingDeliveries(
  database: Database,
  caller: Caller,
  { webhook_id, event = [], account_id, since, until }: DeliveryFilter,
) {
  if (account_id !== undefined) requireAccount(caller, account_id);
  let query = database
    .selectFrom('deliveries')
    .where('webhook_id', '=', webhook_id)
    .where(amongAccounts(caller.accountIds, 'account_id'));
  if (event.length > 0) query = query.where('event', 'in', [...new Set(event)]);
  if (account_id !== undefined) query = query.where('account_id', '=', account_id);
  if (since !== undefined) query = query.where('created_at', '>=', firstMillisecondFrom(since));
  if (until !== undefined) query = query.where('created_at', '<', firstMillisecondFrom(until));
  return query;
}
