/** Queries of filtered deliveries, of a webhook or of all of a workspace: for a page, and for their number. */
import type { ExpressionBuilder } from 'kysely';
import { type Caller, type Reach, requireAccount } from '../../kernel/caller.ts';
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
  listOf,
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
export function deliveryList(
  database: Database,
  caller: Caller,
  filter: DeliveryFilter & Pick<DeliveryListRequest, 'order_by'>,
) {
  const { webhook_id, ...others } = filter;
  const name = filter.event_id !== undefined || isSliced(caller, filter) ? null : `deliveries ${statesOf(filter)}`;
  const bound: { readonly webhook_id?: string } = webhook_id === undefined ? {} : { webhook_id };
  return listOf(caller, name, bound, (reach, ofWebhook) => {
    const fitting = { ...others, ...ofWebhook };
    const ofStates = rangesOf(database, reach, fitting).map((range) =>
      range.where(fits(reach, fitting)).select(['id', 'created_at']),
    );
    return (after: KeyValues | null, count: number, through: KeyValues | null) =>
      visibleDeliveries(database, reach).where(isAmongFirst(ofStates, deliveryKeyset(filter), after, count, through));
  });
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

/** Whether not all that {@link rangesOf} have fits. Of a workspace, deliveries of webhooks that are being deleted are among them. */
const isSliced = ({ accountIds }: Reach, { webhook_id, event_id, events = [], account_id }: DeliveryFilter): boolean =>
  // An event has a delivery to each webhook at most, and its index finds them.
  event_id === undefined &&
  (accountIds !== null || webhook_id === undefined || events.length > 0 || account_id !== undefined);

/** {@link rangesOf}; null if what they have is what fits. */
export const slicedRanges = (database: Database, caller: Caller, filter: DeliveryFilter) =>
  isSliced(caller, filter) ? rangesOf(database, caller, filter) : null;

/** Each state is a range of an index; an event is one of another. */
function rangesOf(database: Database, caller: Reach, filter: DeliveryFilter) {
  const states = statesOf(filter);
  const found = deliveriesOf(database, caller, filter);
  return filter.event_id === undefined
    ? states.map((state) => found.where('state', '=', state))
    : [found.where('state', 'in', states)];
}

/** What an index of states or events finds, besides the state. */
function deliveriesOf(database: Database, { workspaceId }: Reach, { webhook_id, event_id }: DeliveryFilter) {
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
function fits(caller: Reach, { webhook_id, event_id, events = [], account_id }: DeliveryFilter) {
  if (account_id !== undefined) requireAccount(caller, account_id);
  return (eb: ExpressionBuilder<Tables, 'deliveries'>) =>
    eb.and([
      amongAccounts(caller.accountIds, 'account_id'),
      ...(webhook_id === undefined || event_id !== undefined ? [isStored(eb)] : []),
      ...(events.length > 0 ? [eb('event', 'in', [...new Set(events)])] : []),
      ...(account_id === undefined ? [] : [eb('account_id', '=', account_id)]),
    ]);
}
