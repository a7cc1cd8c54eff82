/** A changed delivery is read once for all watchers, if one can see it. Slow readers lose the oldest changes. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expressionBuilder, type RawBuilder, sql } from 'kysely';
import type { Caller } from '../../kernel/caller.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { isId } from '../../kernel/ids.ts';
import { createPacer } from '../../kernel/lib/pacer.ts';
import { amongAccounts } from '../../store/conditions.ts';
import type { Database } from '../../store/database.ts';
import { DatabaseFault } from '../../store/faults.ts';
import { maxChangedIds, type Notifications, type UpdateListener } from '../../store/notifications.ts';
import { findByIds, requireFound } from '../../store/reads.ts';
import { changesPerTurn } from '../../store/row-watch.ts';
import type { DeliveryTable } from '../../store/schema.ts';
import { type Watcher, type WatchFeed, watch } from '../../store/watch.ts';
import { webhooksById } from '../webhooks/repository.ts';
import type { DeliveriesPort } from './port.ts';
import { toDelivery } from './queries.ts';
import type { Delivery } from './shapes.ts';
import { canSee, storedDeliveries } from './visibility.ts';

/** In one query. */
const readAtOnce = 100;

/** Pause after a fault of the database, in milliseconds. */
const faultPauseMs = 500;

/** Clients read what they list again, and subscribe again. */
const missed = () =>
  new ServiceError('service_unavailable', { detail: 'Changes may have been missed. Subscribe again.' });

export interface WatchContext {
  readonly database: Database;
  readonly notifications: Pick<Notifications, 'listen'>;
  readonly now: () => Date;
}

interface WatchedDeliveries {
  readonly caller: Caller;
  /** Null for every webhook of the workspace. */
  readonly webhookIds: ReadonlySet<string> | null;
}

type DeliveryWatcher = Watcher<WatchedDeliveries, Delivery>;

export function deliveryWatch({ database, notifications, now }: WatchContext): Pick<DeliveriesPort, 'watch'> {
  const watchers = new Map<string, Set<DeliveryWatcher>>();
  /** Changed since their last read. */
  const changed = new Set<string>();
  const pacer = createPacer(changesPerTurn);
  let isReading = false;
  let stopListening: (() => void) | null = null;

  const everybody = () => [...watchers.values()].flatMap((each) => [...each]);

  const listener: UpdateListener = {
    onUpdated(ids) {
      addBounded(changed, ids);
      if (!isReading) readChanged().catch(failEverybody);
    },
    onMissed: () => failEverybody(missed()),
    onEnd() {
      for (const watcher of everybody()) watcher.close();
    },
  };

  function failEverybody(error: unknown): void {
    for (const watcher of everybody()) watcher.fail(error);
  }

  async function readChanged(): Promise<void> {
    isReading = true;
    try {
      while (changed.size > 0 && watchers.size > 0) {
        const ids = [...changed].slice(0, readAtOnce);
        for (const id of ids) changed.delete(id);
        const rows = await readWatched(ids);
        if (rows === null) await sleep(faultPauseMs, undefined, { ref: false });
        for (const id of ids) {
          const row = rows?.get(id);
          if (row !== undefined) post(row);
        }
      }
    } finally {
      changed.clear();
      isReading = false;
    }
  }

  /** Null at a fault of the database, after which they are changed as before. */
  async function readWatched(ids: readonly string[]): Promise<ReadonlyMap<string, DeliveryTable> | null> {
    const scopes = everybody().map(({ scope }) => scope);
    try {
      const rows = await watchedRows(database, scopes, ids);
      return new Map(rows.map((row) => [row.id, row]));
    } catch (error) {
      if (!(error instanceof DatabaseFault)) throw error;
      addBounded(changed, ids);
      return null;
    }
  }

  function post(row: DeliveryTable): void {
    const seeing = [...(watchers.get(row.workspace_id) ?? [])].filter(({ scope }) => watches(scope, row));
    if (seeing.length === 0) return;
    const delivery = toDelivery(row, now());
    for (const watcher of seeing) watcher.post(delivery.delivery_id, delivery);
  }

  const feed: WatchFeed<WatchedDeliveries, Delivery> = {
    join(watcher) {
      const { workspaceId } = watcher.scope.caller;
      watchers.set(workspaceId, (watchers.get(workspaceId) ?? new Set()).add(watcher));
      stopListening ??= notifications.listen(listener);
    },
    leave(watcher) {
      const { workspaceId } = watcher.scope.caller;
      const others = watchers.get(workspaceId);
      others?.delete(watcher);
      if (others?.size === 0) watchers.delete(workspaceId);
      if (watchers.size > 0) return;
      stopListening?.();
      stopListening = null;
    },
  };

  return {
    async watch({ caller, signal }, { webhook_ids }) {
      if (webhook_ids !== undefined) await requireVisible(database, caller, webhook_ids);
      const webhookIds = webhook_ids === undefined ? null : new Set(webhook_ids);
      return watch(feed, pacer, { caller, webhookIds }, signal, (delivery) => delivery);
    },
  };
}

/** Drops the oldest beyond the bound: a delivery that goes on changing is reported again. */
function addBounded(changed: Set<string>, ids: readonly string[]): void {
  for (const id of ids) {
    changed.delete(id);
    changed.add(id);
    const oldest = changed.size > maxChangedIds ? changed.values().next().value : undefined;
    if (oldest !== undefined) changed.delete(oldest);
  }
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
