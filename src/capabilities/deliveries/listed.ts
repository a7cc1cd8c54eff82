/** Queries of filtered deliveries, of a webhook or of all of a workspace: for a page, and for their number. */
import type { ExpressionBuilder } from 'kysely';
import { type Caller, requireAccount } from '../../kernel/caller.ts';
import { firstMillisecondFrom } from '../../kernel/date-time.ts';
import { amongAccounts, isInWorkspace } from '../../store/conditions.ts';
import type { Database } from '../../store/database.ts';
import {
  type Bounds,
  boundsOf,
  byCreation,
  isAmongFirst,
  type Keyset,
  type KeyValues,
  keysetsOf,
  sliceQuery,
} from '../../store/keyset.ts';
import type { CountedList } from '../../store/keyset-pages.ts';
import type { Tables } from '../../store/schema.ts';
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

const statesOf = ({ states = [] }: DeliveryFilter) => [...new Set(states.length === 0 ? deliveryStates : states)];

/** In the order of {@link deliveryKeyset}. @throws ServiceError `account_mismatch` for an account beyond the key */
export function listedDeliveries(
  { database }: { readonly database: Database },
  caller: Caller,
  filter: DeliveryFilter & Pick<DeliveryListRequest, 'order_by'>,
) {
  const ofStates = rangesOf(database, caller, filter).map((range) =>
    range.where(fits(caller, filter)).select(['id', 'created_at']),
  );
  return (after: KeyValues | null, count: number, through: KeyValues | null) =>
    visibleDeliveries(database, caller).where(isAmongFirst(ofStates, deliveryKeyset(filter), after, count, through));
}

/** {@link listedDeliveries}, as short reads if the key may use every account. */
export function shortlyListed(
  context: { readonly database: Database },
  caller: Caller,
  filter: DeliveryFilter & Pick<DeliveryListRequest, 'order_by'>,
) {
  const { webhook_id: webhookId, ...others } = filter;
  if (caller.accountIds !== null || webhookId === undefined || filter.event_id !== undefined)
    return listedDeliveries(context, caller, filter);
  const bound = { workspaceId: caller.workspaceId, webhookId };
  return {
    name: `deliveries ${JSON.stringify(others)}`,
    bound,
    queryOf: ({ workspaceId, webhookId: webhook_id }: typeof bound) =>
      listedDeliveries(context, { ...caller, workspaceId }, { ...others, webhook_id }),
  };
}

/** @throws ServiceError `account_mismatch` for an account beyond the key */
export function countedDeliveries(
  database: Database,
  caller: Caller,
  filter: DeliveryFilter,
): CountedList<Tables, 'deliveries'> {
  const fitting = (states: readonly string[]) =>
    deliveriesOf(database, caller, filter).where('state', 'in', states).where(fits(caller, filter)).select('id');
  const ranges = slicedRanges(database, caller, filter);
  const keyset = byCreation('deliveries', 'desc');
  const bounds = deliveryBounds(keyset, filter);
  if (ranges === null) return { query: sliceQuery(fitting(statesOf(filter)), keyset, bounds.from, bounds.to) };
  return {
    keyset,
    bounds,
    ranges,
    fitting: statesOf(filter).map((state) => fitting([state])),
  };
}

const timeOf = (time: string | undefined) => (time === undefined ? null : firstMillisecondFrom(time));

export const deliveryBounds = (keyset: Keyset<string>, { since, until }: DeliveryFilter): Bounds =>
  boundsOf(keyset, timeOf(since), timeOf(until));

/** {@link rangesOf}; null if what they have is what fits. */
export function slicedRanges(database: Database, caller: Caller, filter: DeliveryFilter) {
  const { webhook_id, event_id, events = [], account_id } = filter;
  // An event has few deliveries.
  if (event_id !== undefined) return null;
  // Of a workspace, deliveries of webhooks that are being deleted are among them.
  const isSliced = webhook_id === undefined || events.length > 0 || account_id !== undefined;
  return isSliced || caller.accountIds !== null ? rangesOf(database, caller, filter) : null;
}

/** Each state is a range of an index; an event is one of another. */
function rangesOf(database: Database, caller: Caller, filter: DeliveryFilter) {
  const states = statesOf(filter);
  const found = deliveriesOf(database, caller, filter);
  return filter.event_id === undefined
    ? states.map((state) => found.where('state', '=', state))
    : [found.where('state', 'in', states)];
}

/** What an index of states or events finds, besides the state. */
function deliveriesOf(database: Database, { workspaceId }: Caller, { webhook_id, event_id }: DeliveryFilter) {
  const all = database.selectFrom('deliveries');
  if (event_id !== undefined) {
    const ofEvent = all.where('event_id', '=', event_id).where(isInWorkspace('deliveries', workspaceId));
    return webhook_id === undefined ? ofEvent : ofEvent.where('webhook_id', '=', webhook_id);
  }
  if (webhook_id === undefined) return all.where('workspace_id', '=', workspaceId);
  // The webhook's workspace is checked once, so that the index is enough.
  return all
    .where('webhook_id', '=', webhook_id)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('webhooks')
          .select('webhooks.id')
          .where('webhooks.id', '=', webhook_id)
          .where('webhooks.workspace_id', '=', workspaceId),
      ),
    );
}

/** The filter's other fields, for which rows are looked at. @throws ServiceError as {@link listedDeliveries} */
function fits(caller: Caller, { webhook_id, event_id, events = [], account_id }: DeliveryFilter) {
  if (account_id !== undefined) requireAccount(caller, account_id);
  return (eb: ExpressionBuilder<Tables, 'deliveries'>) =>
    eb.and([
      amongAccounts(caller.accountIds, 'account_id'),
      ...(webhook_id === undefined || event_id !== undefined ? [isStored(eb)] : []),
      ...(events.length > 0 ? [eb('event', 'in', [...new Set(events)])] : []),
      ...(account_id === undefined ? [] : [eb('account_id', '=', account_id)]),
    ]);
}
