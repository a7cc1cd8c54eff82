/** Events of accounts: a key sees those of the accounts that it may act for. What is for one webhook alone is left out. */
import { sql } from 'kysely';
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
import { readOpenJsonColumn } from '../../store/json.ts';
import {
  boundsOf,
  byCreation,
  isAmongFirst,
  type Keyset,
  type KeyValues,
  type PageRequest,
  type PlacedQuery,
  startPage,
} from '../../store/keyset.ts';
import { selectPages } from '../../store/keyset-pages.ts';
import { columnBytes, readLarge } from '../../store/large-rows.ts';
import { findByIds, requireFound } from '../../store/reads.ts';
import type { EventTable, Tables } from '../../store/schema.ts';
import type { DeliveriesPort } from './port.ts';
import type { QueriesContext } from './queries.ts';
import { type AccountEvent, deliveryLimits, type EventData, type EventFilter, eventListScope } from './shapes.ts';

/** Of a workspace: a page is a range of an index for each. */
export const maxAccounts = 250;

export type EventRow = Pick<EventTable, (typeof eventColumns)[number]>;

/** Named, so that statements can be prepared. */
const eventColumns = ['id', 'workspace_id', 'account_id', 'source', 'event', 'created_at'] as const;

export const newestFirst = byCreation('events', 'desc');
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
export function typesOf({ source = [], event = [] }: EventFilter): readonly WebhookEvent[] | null {
  if (source.length === 0 && event.length === 0) return null;
  const named = event.length === 0 ? webhookEvents : [...new Set(event)];
  return source.length === 0 ? named : named.filter((type) => source.some((each) => each === sourceByEvent[type]));
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
  const ranges =
    accounts === null
      ? (types ?? webhookEvents).map((type) =>
          rangeOf(keyset, 'event', type, () => shownEvents(database).where('workspace_id', '=', caller.workspaceId)),
        )
      : types?.length === 0
        ? []
        : [...new Set(accounts)].map((id) => rangeOf(keyset, 'account_id', id, () => shownEvents(database)));
  const isSliced = ranges.length > 0 && accounts !== null && types !== null;
  const listed: PlacedQuery<Tables, 'events', EventRow> = (after, count, through) => {
    const fitting = ranges.map((range) => {
      const events = range(after, count, through);
      return isSliced ? events.where('event', 'in', types) : events;
    });
    return visibleEvents(database, caller)
      .select(eventColumns)
      .where(fitting.length === 0 ? sql<boolean>`1 = 0` : isAmongFirst(fitting, keyset, after, count, through));
  };
  const scope = ['events', caller.keyId, ...eventListScope(filter)];
  const bounds = boundsOf(keyset, since, null);
  const started = startPage(
    listed,
    keyset,
    { cursors, scope, cursor, limit },
    { bounds, ranges: isSliced ? ranges : null },
  );
  const [page = { items: [], cursor: null }] = await selectPages({ database, budget }, context, [started]);
  return page;
}

export type EventLists = Pick<QueriesContext, 'database' | 'cursors' | 'budget'>;

/**
 * The range of an index with one value of a column before those of the keyset. Rows are compared, and ordered by the column
 * as well: for an equal value, Postgres may take the index of ages for the order, and look at the events of everybody.
 */
function rangeOf(
  { order, columns }: Keyset<'created_at' | 'id'>,
  column: 'account_id' | 'event',
  value: string,
  events: () => ReturnType<typeof shownEvents>,
) {
  const named = sql.ref(column);
  const place = sql.join([column, ...columns].map((name) => sql.ref(name)));
  const at = (values: KeyValues) => sql`(${sql.join([value, ...values])})`;
  return (after: KeyValues | null, count: number, through: KeyValues | null) => {
    // One bound at each end: with two, Postgres may start at the wider one.
    const [from, to] = order === 'asc' ? [sql`>`, sql`<=`] : [sql`<`, sql`>=`];
    const [first, last] = order === 'asc' ? [sql`>=`, sql`<=`] : [sql`<=`, sql`>=`];
    let range = events()
      .select(['id', 'created_at'])
      .where(after === null ? sql<boolean>`${named} ${first} ${value}` : sql<boolean>`(${place}) ${from} ${at(after)}`)
      .where(through === null ? sql<boolean>`${named} ${last} ${value}` : sql<boolean>`(${place}) ${to} ${at(through)}`)
      .limit(count);
    for (const name of [column, ...columns]) range = range.orderBy(sql.ref(name), order);
    return range;
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
