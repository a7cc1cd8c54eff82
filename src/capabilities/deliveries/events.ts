/** Events of accounts: a key sees those of the accounts that it may act for. What is for one webhook alone is left out. */
import { type RawBuilder, sql } from 'kysely';
import { findStoredAccounts } from '../../auth/account-repository.ts';
import { type AccountRule, connectedHere } from '../../auth/account-rule.ts';
import { sourceByEvent, type WebhookEvent, webhookEvents } from '../../events/sources.ts';
import { type Caller, requireAccount } from '../../kernel/caller.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { isId } from '../../kernel/ids.ts';
import type { Page } from '../../kernel/paging.ts';
import type { RequestContext } from '../../kernel/request-context.ts';
import { amongAccounts, isInWorkspace } from '../../store/conditions.ts';
import type { Database } from '../../store/database.ts';
import { isOneOf, readOpenJsonColumn } from '../../store/json.ts';
import {
  boundsOf,
  byCreation,
  isAmongRows,
  type Keyset,
  type KeyValues,
  type PageRequest,
  type PlacedQuery,
  startPage,
  type ValueRanges,
} from '../../store/keyset.ts';
import { selectPages } from '../../store/keyset-pages.ts';
import { columnBytes, readLarge } from '../../store/large-rows.ts';
import { byDialect, limitOf } from '../../store/query-compilers.ts';
import { findByIds, requireFound } from '../../store/reads.ts';
import type { EventTable, Tables } from '../../store/schema.ts';
import type { DeliveriesPort } from './port.ts';
import type { QueriesContext } from './queries.ts';
import { type AccountEvent, deliveryLimits, type EventData, type EventFilter, eventListScope } from './shapes.ts';

/** Accounts of a filter: a page is a range of an index for each. */
export const maxAccounts = 250;

export type EventRow = Pick<EventTable, (typeof eventColumns)[number]>;

/** Named, so that statements can be prepared. */
const eventColumns = ['id', 'workspace_id', 'account_id', 'source', 'event', 'created_at'] as const;

const newestFirst = byCreation('events', 'desc');
export const oldestFirst = byCreation('events', 'asc');

/** As the partial indexes have it. */
const shownEvents = (database: Database) =>
  database.selectFrom('events').where('source', 'is not', null).where('webhook_id', 'is', null);

const visibleEvents = (database: Database, { workspaceId, accountIds }: Caller) =>
  shownEvents(database).where(isInWorkspace('events', workspaceId)).where(isOfAccounts(accountIds));

/** Beside ids, whose index finds the rows (store/conditions.ts). */
const isOfAccounts = (accountIds: Iterable<string> | null) =>
  sql<boolean>`(${amongAccounts(accountIds, 'events.account_id')}) is true`;

/** For watchers, each of which sees some of them. @param accountIds of all watchers; null for every account */
export const eventsById = (database: Database, ids: readonly string[], accountIds: Iterable<string> | null) =>
  shownEvents(database).select(eventColumns).where('id', 'in', ids).where(isOfAccounts(accountIds));

/** The types of events that pass a filter; null for all. */
export function typesOf({ sources, events }: EventFilter): readonly WebhookEvent[] | null {
  if (sources === undefined && events === undefined) return null;
  const named = events === undefined ? webhookEvents : [...new Set(events)];
  return sources === undefined ? named : named.filter((type) => sources.some((each) => each === sourceByEvent[type]));
}

/**
 * Of a filter, which the list and the stream have in common: one refuses what the other refuses.
 * @throws ServiceError `account_mismatch` for an account beyond the key, `resource_not_found` for one that does not exist
 */
export async function requireAccounts(
  {
    database,
    accountRule = connectedHere,
  }: { readonly database: Database; readonly accountRule?: AccountRule | undefined },
  caller: Caller,
  { account_ids = [] }: EventFilter,
): Promise<void> {
  for (const id of account_ids) requireAccount(caller, id);
  const found = await findByIds<{ readonly id: string }>(account_ids, accountRule.isId, async (ids) =>
    accountRule.knowsAll ? findStoredAccounts(database, caller.workspaceId, ids) : ids.map((id) => ({ id })),
  );
  requireFound('account', account_ids, found);
}

interface EventPage extends Pick<PageRequest, 'cursor' | 'limit'> {
  readonly filter: EventFilter;
  readonly keyset: Keyset<'created_at' | 'id'>;
  /** Epoch milliseconds; null for all that are kept. */
  readonly since: number | null;
}

/**
 * Where it has some types of events of accounts only, it is read in slices: its cursor may come before it is full.
 * @throws ServiceError `limit_too_high` if the key has too many accounts to list all, `invalid_parameters` for another list's cursor
 */
export async function pageOfEvents(
  { database, cursors, budget }: EventLists,
  context: RequestContext,
  { filter, keyset, since, cursor, limit }: EventPage,
): Promise<Page<EventRow>> {
  const { caller } = context;
  const { account_ids } = filter;
  const accounts = account_ids ?? (caller.accountIds === null ? null : [...caller.accountIds]);
  if (accounts !== null && accounts.length > maxAccounts) {
    throw new ServiceError('limit_too_high', {
      detail: `The API key is limited to more than ${maxAccounts} accounts: name those to list in account_ids (accountIds in GraphQL).`,
    });
  }
  const types = typesOf(filter);
  const isSliced = accounts !== null && types !== null;
  const named = [...new Set(accounts)];
  const ranges =
    accounts === null
      ? rangesOf(keyset, 'event', types ?? webhookEvents, sql`workspace_id = ${caller.workspaceId}`)
      : rangesOf(keyset, 'account_id', named, sql`1 = 1`);
  const fitting = isSliced ? rangesOf(keyset, 'account_id', named, isOneOf('event', types)) : ranges;
  const listed: PlacedQuery<Tables, 'events', EventRow> = (after, count, through) =>
    visibleEvents(database, caller)
      .select(eventColumns)
      .where(isAmongRows(fitting.rows(after, count, through), keyset, count));
  const scope = ['events', caller.keyId, ...eventListScope(filter)];
  const place = { cursors, scope, cursor, limit };
  const started = startPage(listed, keyset, place, {
    bounds: boundsOf(keyset, since, null),
    ranges: isSliced ? ranges : null,
    turn: 'shared',
    isEmpty: types?.length === 0,
  });
  const [page = { items: [], cursor: null }] = await selectPages({ database, budget }, context, [started]);
  return page;
}

export type EventLists = Pick<QueriesContext, 'database' | 'cursors' | 'budget'>;

/**
 * A range of an index for each value of a column before those of the keyset. Rows are compared, and ordered by the column as
 * well: for an equal value, Postgres may take the index of ages for the order, and look at the events of everybody.
 */
function rangesOf(
  { order, columns }: Keyset<'created_at' | 'id'>,
  column: 'account_id' | 'event',
  values: readonly string[],
  condition: RawBuilder<unknown>,
): ValueRanges {
  const [from, to, first, last] = (order === 'asc' ? ['>', '<=', '>=', '<='] : ['<', '>=', '<=', '>=']).map(
    (operator) => sql.raw(operator),
  );
  const named = sql.ref(column);
  const places = [column, ...columns].map((name) => sql.ref(name));
  const shown = sql.join(columns.map((name) => sql.ref(name)));
  const isBeside = (operator: unknown, orEqual: unknown, place: KeyValues | null) =>
    place === null
      ? sql`${named} ${orEqual} ranged.value`
      : sql`(${sql.join(places)}) ${operator} (ranged.value, ${sql.join(place)})`;
  return {
    size: values.length,
    rows(after, count, through, offset = 0) {
      // As the partial indexes have it. One bound at each end: with two, Postgres may start at the wider one.
      const rows = sql`
        select ${shown} from events
        where source is not null and webhook_id is null and ${condition}
          and ${isBeside(from, first, after)} and ${isBeside(to, last, through)}
        order by ${sql.join(places.map((name) => sql`${name} ${sql.raw(order)}`))} ${limitOf(count)} offset ${offset}`;
      return byDialect({
        // It has no lateral joins.
        sqlite: () => sql`
          select ${sql.join(columns.map((name, at) => sql`part.value ->> ${sql.lit(at)} as ${sql.ref(name)}`))}
          from json_each(${JSON.stringify(values)}) as ranged,
            json_each((select json_group_array(json_array(${shown})) from (${rows}) as some)) as part`,
        postgres: () => sql`
          select part.* from unnest(${values}::text[]) as ranged(value) cross join lateral (${rows}) as part`,
      });
    },
  };
}

export function accountEvents({
  database,
  cursors,
  budget,
  accountRule,
}: QueriesContext): Pick<DeliveriesPort, 'events' | 'findEvents' | 'dataOfEvents'> {
  return {
    async events(context, { cursor, limit = deliveryLimits.limit.default, ...filter }) {
      await requireAccounts({ database, accountRule }, context.caller, filter);
      const request = { filter, keyset: newestFirst, since: null, cursor, limit };
      const page = await pageOfEvents({ database, cursors, budget }, context, request);
      return { ...page, items: page.items.map(toAccountEvent) };
    },

    async findEvents({ caller }, eventIds) {
      const rows = await findByIds(eventIds, isId, (ids) =>
        visibleEvents(database, caller).select(eventColumns).where('id', 'in', ids).execute(),
      );
      return rows.map((row) => row && toAccountEvent(row));
    },

    dataOfEvents(context, eventIds) {
      const visible = (ids: readonly string[]) =>
        visibleEvents(database, context.caller).select('id').where('id', 'in', ids);
      return readLarge(budget, context, eventIds, {
        sizes: (ids) => visible(ids).select(columnBytes('events.data').as('bytes')).execute(),
        read: async (ids) => {
          const read = await visible(ids).select('data').execute();
          return read.map(({ id, data }) => [id, readOpenJsonColumn<EventData>(data)] as const);
        },
      });
    },
  };
}

export const toAccountEvent = ({ id, source, event, account_id, created_at }: EventRow): AccountEvent => ({
  object: 'AccountEvent',
  event_id: id,
  // Only events with a source are shown, and each type has one.
  source: source as AccountEvent['source'],
  event: event as WebhookEvent,
  account_id,
  created_at,
});
