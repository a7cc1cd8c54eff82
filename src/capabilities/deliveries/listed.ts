/** Queries of filtered deliveries, of a webhook or of all of a workspace: for a page, and for their number. */
import { type Caller, requireAccount } from '../../kernel/caller.ts';
import { firstMillisecondFrom } from '../../kernel/date-time.ts';
import { amongAccounts, isInWorkspace } from '../../store/conditions.ts';
import type { Database } from '../../store/database.ts';
import type { DatabaseKind } from '../../store/json.ts';
import { byCreation, isAmongFirst, keysetsOf } from '../../store/keyset.ts';
import {
  type DeliveryFilter,
  type DeliveryListRequest,
  type DeliveryOrder,
  defaultDeliveryOrder,
  deliveryStates,
} from './shapes.ts';
import { isStored, visibleDeliveries } from './visibility.ts';

export const deliveryKeyset = keysetsOf<DeliveryOrder, 'created_at' | 'id'>(defaultDeliveryOrder, {
  created_at_desc: byCreation('deliveries', 'desc'),
  created_at_asc: byCreation('deliveries', 'asc'),
});

const statesOf = ({ state = [] }: DeliveryFilter) => [...new Set(state.length === 0 ? deliveryStates : state)];

/** In the order of {@link deliveryKeyset}. @throws ServiceError `account_mismatch` for an account beyond the key */
export function listedDeliveries(
  { database, kind }: { readonly database: Database; readonly kind: DatabaseKind },
  caller: Caller,
  filter: DeliveryFilter & Pick<DeliveryListRequest, 'order_by'>,
) {
  return (after: readonly (string | number)[] | null, count: number) => {
    // Each state is a range of an index.
    const ofStates = statesOf(filter).map((state) =>
      fittingDeliveries(database, caller, filter)
        .where(
          filter.webhook_id === undefined
            ? ({ eb }) => eb('workspace_id', '=', caller.workspaceId)
            : isInWorkspace('deliveries', caller.workspaceId),
        )
        .where('state', '=', state)
        .select(['id', 'created_at']),
    );
    return visibleDeliveries(database, caller).where(
      isAmongFirst(kind, ofStates, deliveryKeyset(filter), after, count),
    );
  };
}

/** Ids, to be counted. @throws ServiceError `account_mismatch` for an account beyond the key */
export function countedDeliveries(database: Database, caller: Caller, filter: DeliveryFilter) {
  const { webhook_id } = filter;
  const fitting = fittingDeliveries(database, caller, filter).where('state', 'in', statesOf(filter)).select('id');
  if (webhook_id === undefined) return fitting.where('workspace_id', '=', caller.workspaceId);
  // The webhook's workspace is checked once, so that the index is enough.
  return fitting.where(({ exists, selectFrom }) =>
    exists(
      selectFrom('webhooks')
        .select('webhooks.id')
        .where('webhooks.id', '=', webhook_id)
        .where('webhooks.workspace_id', '=', caller.workspaceId),
    ),
  );
}

/** By the filter's other fields, in whatever workspace and state. */
function fittingDeliveries(
  database: Database,
  caller: Caller,
  { webhook_id, event = [], account_id, since, until }: DeliveryFilter,
) {
  if (account_id !== undefined) requireAccount(caller, account_id);
  let query = database.selectFrom('deliveries').where(amongAccounts(caller.accountIds, 'account_id'));
  query = webhook_id === undefined ? query.where(isStored) : query.where('webhook_id', '=', webhook_id);
  if (event.length > 0) query = query.where('event', 'in', [...new Set(event)]);
  if (account_id !== undefined) query = query.where('account_id', '=', account_id);
  if (since !== undefined) query = query.where('created_at', '>=', firstMillisecondFrom(since));
  if (until !== undefined) query = query.where('created_at', '<', firstMillisecondFrom(until));
  return query;
}
