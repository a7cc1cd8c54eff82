/** Events of accounts: a key sees those of the accounts that it may act for. What is for one webhook alone is left out. */
import { sql } from 'kysely';
import { findStoredAccounts } from '../../auth/account-repository.ts';
import { type AccountRule, connectedHere } from '../../auth/account-rule.ts';
import { sourceByEvent, type WebhookEvent, webhookEvents } from '../../events/sources.ts';
import { type Caller, requireAccount } from '../../kernel/caller.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { isId } from '../../kernel/ids.ts';
import { amongAccounts, isInWorkspace } from '../../store/conditions.ts';
import type { Database } from '../../store/database.ts';
import { type DatabaseKind, readOpenJsonColumn } from '../../store/json.ts';
import { byCreation, isAmongFirst, type Keyset, selectPage } from '../../store/keyset.ts';
import { columnBytes, readLarge } from '../../store/large-rows.ts';
import { findByIds, requireFound } from '../../store/reads.ts';
import type { EventTable } from '../../store/schema.ts';
import type { DeliveriesPort } from './port.ts';
import type { QueriesContext } from './queries.ts';
import { type AccountEvent, deliveryLimits, type EventData, type EventFilter, eventListScope } from './shapes.ts';

/** Of a workspace: a page is a range of an index for each. */
export const maxAccounts = 250;

/** Rows that a page of accounts looks at, where it has some types of events only. */
export const maxLooked = 10_000;

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

/**
 * The query of a page, in the order of `keyset`.
 * @throws ServiceError `limit_too_high` if the key has too many accounts to list all
 */
export function listedEvents(
  { database, kind }: { readonly database: Database; readonly kind: DatabaseKind },
  caller: Caller,
  { account_ids, ...filter }: EventFilter,
  keyset: Keyset<'created_at' | 'id'> = newestFirst,
  since: number | null = null,
) {
  const accounts = account_ids ?? (caller.accountIds === null ? null : [...caller.accountIds]);
  if (accounts !== null && accounts.length > maxAccounts) {
    throw new ServiceError('limit_too_high', {
      detail: `The API key is limited to more than ${maxAccounts} accounts: name those to list in account_ids (accountIds in GraphQL).`,
    });
  }
  const types = typesOf(filter);
  return (after: readonly (string | number)[] | null, count: number) => {
    const rangeOf = (column: 'account_id' | 'event', value: string, most: number) =>
      eventRange(database, { column, value }, { keyset, after, since, count: most });
    const ofAccounts = () => {
      const looked = types === null ? count : Math.floor(maxLooked / (accounts?.length ?? 1));
      return [...new Set(accounts)].map((id) => {
        const events = database.selectFrom(rangeOf('account_id', id, looked).as('events')).select(['id', 'created_at']);
        return types === null ? events : events.where('event', 'in', types);
      });
    };
    const ofWorkspace = () =>
      (types ?? webhookEvents).map((type) => {
        const events = rangeOf('event', type, count).where('workspace_id', '=', caller.workspaceId);
        return database.selectFrom(events.as('events')).select(['id', 'created_at']);
      });
    const ranges = accounts === null ? ofWorkspace() : types?.length === 0 ? [] : ofAccounts();
    return visibleEvents(database, caller)
      .select(eventColumns)
      .where(ranges.length === 0 ? sql<boolean>`1 = 0` : isAmongFirst(kind, ranges, keyset, after, count));
  };
}

interface EventRange {
  readonly keyset: Keyset<'created_at' | 'id'>;
  readonly after: readonly (string | number)[] | null;
  readonly since: number | null;
  readonly count: number;
}

/**
 * The range of an index with one value of a column before those of the keyset. Rows are compared, and ordered by the column
 * as well: for an equal value, Postgres may take the index of ages for the order, and look at the events of everybody.
 */
function eventRange(
  database: Database,
  { column, value }: { readonly column: 'account_id' | 'event'; readonly value: string },
  { keyset: { order, columns }, after, since, count }: EventRange,
) {
  const named = sql.ref(column);
  const isFrom = sql<boolean>`${named} >= ${value}`;
  const isUpTo = sql<boolean>`${named} <= ${value}`;
  const place = sql.join([column, ...columns].map((name) => sql.ref(name)));
  const isBehind =
    after === null
      ? null
      : sql<boolean>`(${place}) ${order === 'asc' ? sql`>` : sql`<`} (${sql.join([value, ...after])})`;
  const isSince =
    since === null ? null : sql<boolean>`(${named}, ${sql.ref('created_at')}) >= (${sql.join([value, since])})`;
  // One bound at each end: with two, Postgres may start at the wider one.
  const bounds = order === 'asc' ? [isBehind ?? isSince ?? isFrom, isUpTo] : [isSince ?? isFrom, isBehind ?? isUpTo];
  let range = shownEvents(database).select(['id', 'created_at', 'event']).limit(count);
  for (const bound of bounds) range = range.where(bound);
  for (const name of [column, ...columns]) range = range.orderBy(sql.ref(name), order);
  return range;
}

export function accountEvents({
  database,
  kind,
  cursors,
  budget,
  accountRule,
}: QueriesContext): Pick<DeliveriesPort, 'events' | 'findEvents' | 'dataOfEvents'> {
  return {
    async events({ caller }, { cursor, limit = deliveryLimits.limit.default, ...filter }) {
      await requireAccounts({ database, accountRule }, caller, filter);
      const scope = ['events', caller.keyId, ...eventListScope(filter)];
      const listed = listedEvents({ database, kind }, caller, filter);
      const page = await selectPage(listed, newestFirst, { cursors, scope, cursor, limit });
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
