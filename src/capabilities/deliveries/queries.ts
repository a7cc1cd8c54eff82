import type { AccountRule } from '../../auth/account-rule.ts';
import { disabledEvent, triggerEvent } from '../../events/event.ts';
import type { WebhookEvent } from '../../events/sources.ts';
import { accessTo, type Caller } from '../../kernel/caller.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { isId } from '../../kernel/ids.ts';
import { type CursorCodec, fitsNothing } from '../../kernel/paging.ts';
import { printedItems, printedPages } from '../../kernel/printed-pages.ts';
import type { RequestContext } from '../../kernel/request-context.ts';
import type { Database } from '../../store/database.ts';
import { readOpenJsonColumn } from '../../store/json.ts';
import { selectPage, startPage } from '../../store/keyset.ts';
import { countLists, selectPages } from '../../store/keyset-pages.ts';
import { columnBytes, readLarge } from '../../store/large-rows.ts';
import type { ReadBudget } from '../../store/read-budget.ts';
import { findByIds, onlyOf, readTogether } from '../../store/reads.ts';
import type { DeliveryAttemptTable, DeliveryTable, WebhookTable } from '../../store/schema.ts';
import { hiddenValue } from '../webhooks/headers.ts';
import { accountIdsOf } from '../webhooks/manageable.ts';
import { countedDeliveries, deliveryBounds, deliveryKeyset, deliveryList, slicedRanges } from './listed.ts';
import type { DeliveriesPort } from './port.ts';
import {
  type Delivery,
  type DeliveryAttempt,
  type DeliveryState,
  deliveryLimits,
  deliveryListScope,
  type EventData,
} from './shapes.ts';
import { visibleDeliveries } from './visibility.ts';

export interface QueriesContext {
  readonly database: Database;
  readonly cursors: CursorCodec;
  readonly budget: ReadBudget;
  readonly now: () => Date;
  readonly accountRule?: AccountRule;
}

export const unknownDelivery = (): ServiceError =>
  new ServiceError('resource_not_found', { detail: 'No delivery has this id.' });

const shownAttemptColumns = [
  'delivery_id',
  'number',
  'started_at',
  'duration_ms',
  'status',
  'failure',
  'response_body',
  'response_headers',
] as const;

export function deliveryQueries({
  database,
  cursors,
  budget,
  now,
}: QueriesContext): Pick<
  DeliveriesPort,
  'list' | 'lists' | 'pages' | 'counts' | 'find' | 'found' | 'data' | 'attempts' | 'lastAttempts'
> {
  const readByIds = async ({ caller }: RequestContext, deliveryIds: readonly string[]) => {
    const rows = await findByIds(deliveryIds, isId, (ids) =>
      visibleDeliveries(database, caller).where('deliveries.id', 'in', ids).execute(),
    );
    return rows.map((row) => row && toDelivery(row, now()));
  };
  const readLists: DeliveriesPort['lists'] = (context, requests) =>
    readTogether(
      requests,
      ({ cursor, limit = deliveryLimits.limit.default, ...filter }) => {
        const { caller } = context;
        const scope = ['deliveries', caller.keyId, ...deliveryListScope(filter)];
        const listed = deliveryList(database, caller, filter);
        const ranges = slicedRanges(database, caller, filter);
        const keyset = deliveryKeyset(filter);
        const bounds = deliveryBounds(keyset, filter);
        return startPage(
          listed,
          keyset,
          { cursors, scope, cursor, limit },
          // An event may have a delivery to each webhook of the workspace.
          { bounds, ranges, isEmpty: fitsNothing(filter), turn: filter.event_id === undefined ? null : 'own' },
        );
      },
      async (started) => {
        const pages = await selectPages({ database, budget }, context, started);
        return pages.map(({ items, cursor }) => ({ items: items.map((row) => toDelivery(row, now())), cursor }));
      },
    );
  const { find, found } = printedItems({ name: 'deliveries', find: readByIds });
  const { lists, pages } = printedPages({ name: 'deliveries', lists: readLists });
  return {
    find,
    found,
    pages,

    data(context, deliveryIds) {
      const visible = (ids: readonly string[]) =>
        visibleDeliveries(database, context.caller)
          .innerJoin('events', 'events.id', 'deliveries.event_id')
          .clearSelect()
          .select('deliveries.id')
          .where('deliveries.id', 'in', ids);
      return readLarge(budget, context, deliveryIds, {
        sizes: (ids) => visible(ids).select(columnBytes('events.data').as('bytes')).execute(),
        read: async (ids) => {
          const read = await visible(ids).select('events.data').execute();
          return read.map(({ id, data }) => [id, readOpenJsonColumn<EventData>(data)] as const);
        },
      });
    },

    lists,
    list: async (context, request) => onlyOf(await lists(context, [request])),

    counts: (context, filters) =>
      countLists({ database, budget }, context, filters, (filter) =>
        countedDeliveries(database, context.caller, filter),
      ),

    async attempts({ caller }, { delivery_id, limit = deliveryLimits.limit.default, cursor }) {
      const [delivery] = await findByIds([delivery_id], isId, (ids) =>
        visibleDeliveries(database, caller).select('webhooks.account_ids').where('deliveries.id', 'in', ids).execute(),
      );
      if (delivery == null) throw unknownDelivery();
      const scope = ['delivery attempts', caller.keyId, delivery_id];
      // In the order of their numbers, whatever the clock was.
      const page = await selectPage(
        database.selectFrom('delivery_attempts').select(shownAttemptColumns).where('delivery_id', '=', delivery_id),
        { table: 'delivery_attempts', columns: ['number'], order: 'asc' },
        { cursors, scope, cursor, limit },
      );
      return { ...page, items: page.items.map((row) => toAttempt(caller, row, delivery)) };
    },

    async lastAttempts({ caller }, deliveryIds) {
      const rows = await findByIds(deliveryIds, isId, (ids) =>
        visibleDeliveries(database, caller)
          .innerJoin('delivery_attempts as last', (join) =>
            join.onRef('last.delivery_id', '=', 'deliveries.id').onRef('last.number', '=', 'deliveries.attempts'),
          )
          .select(shownAttemptColumns.map((column) => `last.${column}` as const))
          .select('webhooks.account_ids')
          .where('deliveries.id', 'in', ids)
          .execute(),
      );
      return rows.map((row) => row && toAttempt(caller, row, row));
    },
  };
}

function toAttempt(
  caller: Caller,
  { number, started_at, duration_ms, status, failure, response_body, response_headers }: DeliveryAttemptTable,
  webhook: Pick<WebhookTable, 'account_ids'>,
): DeliveryAttempt {
  // A response is its endpoint's owner's, and may repeat sent headers, whose values take the scope `webhooks:write` as well.
  const isManaged = caller.scopes.has('webhooks:write') && accessTo(caller, accountIdsOf(webhook)) === 'manage';
  return {
    number,
    started_at,
    duration_ms,
    status,
    failure,
    response_body: isManaged ? response_body : hiddenValue,
    response_headers: headersIn(response_headers).map((header) =>
      isManaged ? header : { ...header, value: hiddenValue },
    ),
  };
}

/** @param lines as in HTTP */
const headersIn = (lines: string | null): DeliveryAttempt['response_headers'] =>
  (lines?.split('\n') ?? []).map((line) => {
    const [key = '', value = ''] = line.split(/: (.*)/s);
    return { key, value };
  });

export function toDelivery(row: DeliveryTable, now: Date): Delivery {
  const isScheduled = row.state === 'pending' && row.claim_token === null && row.next_at > now.getTime();
  return {
    object: 'Delivery',
    delivery_id: row.id,
    webhook_id: row.webhook_id,
    event_id: row.event_id,
    account_id: row.account_id,
    event: row.event === triggerEvent || row.event === disabledEvent ? null : (row.event as WebhookEvent),
    notice: row.event === disabledEvent ? row.event : null,
    state: row.state as DeliveryState,
    attempt_count: row.attempts,
    next_attempt_at: isScheduled ? row.next_at : null,
    created_at: row.created_at,
    finished_at: row.finished_at,
  };
}
