/** Watching deliveries and events: which rows a watcher sees. */

import { setTimeout as sleep } from 'node:timers/promises';
import { expressionBuilder, type RawBuilder, sql } from 'kysely';
import type { AccountRule } from '../../auth/account-rule.ts';
import { type Caller, mayActFor } from '../../kernel/caller.ts';
import { firstMillisecondFrom } from '../../kernel/date-time.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { isId } from '../../kernel/ids.ts';
import { amongAccounts } from '../../store/conditions.ts';
import type { Database } from '../../store/database.ts';
import { isPostgres } from '../../store/is-postgres.ts';
import type { Notifications } from '../../store/notifications.ts';
import { findByIds, requireFound } from '../../store/reads.ts';
import type { DeliveryTable } from '../../store/schema.ts';
import { createWatchFeed, type Tail } from '../../store/watch-feed.ts';
import { webhooksById } from '../webhooks/repository.ts';
import {
  type EventLists,
  type EventRow,
  eventsById,
  oldestFirst,
  pageOfEvents,
  requireAccounts,
  toAccountEvent,
  typesOf,
} from './events.ts';
import type { DeliveriesPort } from './port.ts';
import { toDelivery } from './queries.ts';
import { type AccountEvent, type Delivery, maxReplayedEvents } from './shapes.ts';
import { canSee, storedDeliveries } from './visibility.ts';

export interface WatchContext extends EventLists {
  readonly notifications: Pick<Notifications, 'listen' | 'connected'>;
  readonly now: () => Date;
  readonly accountRule?: AccountRule;
}

interface WatchedDeliveries {
  readonly caller: Caller;
  /** Null for every webhook of the workspace. */
  readonly webhookIds: ReadonlySet<string> | null;
}

const ofWorkspaces = {
  keysOf: ({ caller }: { readonly caller: Caller }) => [caller.workspaceId],
  keyOf: (row: { readonly workspace_id: string }) => row.workspace_id,
};

/** Slow readers lose the oldest changes. */
export function deliveryWatch({
  database,
  notifications,
  now,
}: Pick<WatchContext, 'database' | 'now'> & {
  readonly notifications: Pick<Notifications, 'listen'>;
}): Pick<DeliveriesPort, 'watch'> {
  const changes = createWatchFeed<WatchedDeliveries, DeliveryTable, Delivery>({
    ...ofWorkspaces,
    listen: (listener) => notifications.listen(listener),
    overflow: 'drops',
    read: (watchers, ids) => watchedRows(database, watchers, ids),
    takes: watches,
    toState: (row) => toDelivery(row, now()),
  });
  return {
    async watch({ caller, signal }, { webhook_ids }) {
      if (webhook_ids !== undefined) await requireVisible(database, caller, webhook_ids);
      const scope = { caller, webhookIds: webhook_ids === undefined ? null : new Set(webhook_ids) };
      return changes.watch(scope, signal, (delivery) => delivery);
    },
  };
}

interface WatchedEvents {
  readonly caller: Caller;
  /** Null for all that the key may act for. */
  readonly accountIds: ReadonlySet<string> | null;
  /** Null for all. */
  readonly types: ReadonlySet<string> | null;
}

/** Transactions commit in another order than that of their times: a replay begins so much earlier, in milliseconds. */
const replayMarginMs = 10_000;

/** A stream of a process that has just started waits so long for its connection to the others, in milliseconds. */
const connectMs = 5_000;

/** No event is lost between a list that was read and its stream: the stream fails instead, and begins with what is kept. */
export function eventWatch({
  notifications,
  accountRule,
  ...lists
}: WatchContext): Pick<DeliveriesPort, 'watchEvents'> {
  const { database } = lists;
  const events = createWatchFeed<WatchedEvents, EventRow, AccountEvent>({
    ...ofWorkspaces,
    listen: (listener) => notifications.listen(listener, 'events'),
    overflow: 'fails',
    read: (watchers, ids) => watchedEvents(database, watchers, ids),
    takes: ({ caller, accountIds, types }, row) =>
      row.workspace_id === caller.workspaceId &&
      mayActFor(caller, row.account_id) &&
      (accountIds === null || (row.account_id !== null && accountIds.has(row.account_id))) &&
      (types === null || types.has(row.event)),
    toState: toAccountEvent,
    // Commands emit on the file as well, and nothing announces it.
    ...(isPostgres(database) ? {} : { tail: tailOfEvents(database) }),
  });
  return {
    async watchEvents(context, { since, ...filter }) {
      const { caller, signal } = context;
      const { account_ids } = filter;
      await requireAccounts({ database, accountRule }, caller, filter);
      await Promise.race([notifications.connected, sleep(connectMs, undefined, { ref: false })]);
      const types = typesOf(filter);
      const scope = {
        caller,
        accountIds: account_ids === undefined ? null : new Set(account_ids),
        types: types && new Set<string>(types),
      };
      const replay = async () => {
        if (since === undefined) return [];
        const from = firstMillisecondFrom(since) - replayMarginMs;
        const request = { filter, keyset: oldestFirst, since: from, limit: maxReplayedEvents };
        const { items, cursor } = await pageOfEvents(lists, context, request);
        if (cursor !== null) throw tooManySince();
        return items.map((row) => [row.id, toAccountEvent(row)] as const);
      };
      return events.watch(scope, signal, (event) => event, replay);
    },
  };
}

const tooManySince = () =>
  new ServiceError('limit_too_high', {
    detail: `More events are kept since then than a subscription begins with, or looks at to find ${maxReplayedEvents}: list them with events, and subscribe since the newest.`,
    issues: [
      {
        path: ['since'],
        code: 'too_large',
        limit: maxReplayedEvents,
        message: `must be followed by at most ${maxReplayedEvents} events`,
      },
    ],
  });

function watchedEvents(
  database: Database,
  watchers: readonly WatchedEvents[],
  ids: readonly string[],
): Promise<readonly EventRow[]> {
  const workspaceIds = distinct(watchers.map(({ caller }) => [caller.workspaceId]));
  const accountIds = distinct(watchers.map(({ caller, accountIds }) => accountIds ?? caller.accountIds));
  return eventsById(database, ids, accountIds).where(isAmong('events.workspace_id', workspaceIds)).execute();
}

/** Rows of one look. */
const rowsOfLook = 250;

/** On SQLite: a new row has a number above all others, and each commit waits for the one before. */
function tailOfEvents(database: Database): Tail {
  let last: number | null = null;
  return {
    async *look() {
      for (;;) {
        const { rows } = await sql<{ rowid: number; id: string | null }>`
          select coalesce(max(rowid), 0) as rowid, null as id from events union all
          select * from (select rowid, id from events where rowid > ${last ?? Number.MAX_SAFE_INTEGER} order by rowid
            limit ${sql.lit(rowsOfLook)})`.execute(database);
        const newest = rows.find(({ id }) => id === null)?.rowid ?? 0;
        const stored = rows.filter(({ id }) => id !== null);
        const behind = last ?? newest;
        last = stored.at(-1)?.rowid ?? newest;
        // The newest were deleted, and their numbers may have been given anew.
        if (newest < behind) yield null;
        if (stored.length === 0) return;
        yield stored.flatMap(({ id }) => id ?? []);
      }
    },
    forget() {
      last = null;
    },
  };
}

const watches = ({ caller, webhookIds }: WatchedDeliveries, row: DeliveryTable): boolean =>
  (webhookIds === null || webhookIds.has(row.webhook_id)) && canSee(caller, row);

/** @throws ServiceError `resource_not_found`: a missing one would be watched in vain */
async function requireVisible(database: Database, caller: Caller, webhookIds: readonly string[]): Promise<void> {
  const found = await findByIds(webhookIds, isId, (ids) =>
    webhooksById({ database }, caller, ids).clearSelect().select('id').execute(),
  );
  requireFound('webhook', webhookIds, found);
}

/** One read for all watchers, by the conditions that all of them have. */
async function watchedRows(
  database: Database,
  watchers: readonly WatchedDeliveries[],
  ids: readonly string[],
): Promise<readonly DeliveryTable[]> {
  const workspaceIds = distinct(watchers.map(({ caller }) => [caller.workspaceId]));
  const webhookIds = distinct(watchers.map((watcher) => watcher.webhookIds));
  const accountIds = distinct(watchers.map(({ caller }) => caller.accountIds));
  return storedDeliveries(database)
    .where('deliveries.id', 'in', ids)
    .where(isAmong('deliveries.workspace_id', workspaceIds))
    .where(isAmong('deliveries.webhook_id', webhookIds))
    .where(amongAccounts(accountIds, 'deliveries.account_id'))
    .execute();
}

/** Beside ids, whose index finds the rows (store/conditions.ts). */
const isAmong = (column: string, values: readonly string[] | null): RawBuilder<boolean> =>
  values === null
    ? sql`1 = 1`
    : sql`(${expressionBuilder<never, never>()(sql<string>`${sql.ref(column)}`, 'in', values)}) is true`;

/** A statement has few parameters: beyond this, watchers' own checks suffice. */
const maxWatchedValues = 1_000;

/** Null where a list stands for every value, or for too many values. */
function distinct(lists: readonly (Iterable<string> | null)[]): string[] | null {
  const values = new Set<string>();
  for (const list of lists) {
    if (list === null) return null;
    for (const value of list) values.add(value);
  }
  return values.size > maxWatchedValues ? null : [...values];
}
