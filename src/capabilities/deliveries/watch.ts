/**
 * Watching deliveries. However many watch, a changed delivery is read once, together with the others that changed
 * meanwhile, and only if somebody who watches can see it. Whoever reads too slowly loses the oldest changes.
 */
import { amongAccounts } from '../../auth/among-accounts.ts';
import type { Caller } from '../../kernel/caller.ts';
import { createPacer } from '../../kernel/lib/pacer.ts';
import type { Database } from '../../store/database.ts';
import { maxChangedIds, type Notifications } from '../../store/notifications.ts';
import type { DeliveryTable } from '../../store/schema.ts';
import type { DeliveriesPort } from './port.ts';
import { toDelivery } from './queries.ts';
import type { Delivery } from './shapes.ts';
import { canSee, storedDeliveries } from './visibility.ts';
import { type Mailbox, mailbox } from './watch-mailbox.ts';

/** Deliveries that are read with one query. */
const readAtOnce = 100;

/**
 * Changes that watchers get in one turn of the event loop. Each is an execution of a selection and the text of its
 * result, which take about a millisecond.
 */
const changesPerTurn = 8;

export interface WatchContext {
  readonly database: Database;
  readonly notifications: Pick<Notifications, 'onUpdated'>;
  readonly now: () => Date;
}

interface Watcher {
  readonly caller: Caller;
  /** Undefined for every webhook of the workspace. */
  readonly webhookId: string | undefined;
  readonly mailbox: Mailbox;
}

export function deliveryWatch({ database, notifications, now }: WatchContext): Pick<DeliveriesPort, 'watch'> {
  const watchers = new Map<string, Set<Watcher>>();
  /** Ids of deliveries that have changed and were not read since. */
  const changed = new Set<string>();
  const pacer = createPacer(changesPerTurn);
  let isReading = false;
  let stopListening: (() => void) | null = null;

  const everybody = () => [...watchers.values()].flatMap((each) => [...each]);

  function hear(ids: readonly string[] | null): void {
    if (ids === null) for (const watcher of everybody()) watcher.mailbox.close();
    else addBounded(changed, ids);
    if (!isReading && changed.size > 0) readChanged().catch(failEverybody);
  }

  function failEverybody(error: unknown): void {
    for (const watcher of everybody()) watcher.mailbox.fail(error);
  }

  async function readChanged(): Promise<void> {
    isReading = true;
    try {
      while (changed.size > 0 && watchers.size > 0) {
        const ids = [...changed].slice(0, readAtOnce);
        for (const id of ids) changed.delete(id);
        const rows = new Map((await watchedRows(database, everybody(), ids)).map((row) => [row.id, row]));
        for (const id of ids) {
          const row = rows.get(id);
          if (row !== undefined) post(row);
        }
      }
    } finally {
      changed.clear();
      isReading = false;
    }
  }

  function post(row: DeliveryTable): void {
    const seeing = [...(watchers.get(row.workspace_id) ?? [])].filter((watcher) => watches(watcher, row));
    if (seeing.length === 0) return;
    const delivery = toDelivery(row, now());
    for (const watcher of seeing) watcher.mailbox.post(delivery);
  }

  function add(watcher: Watcher): void {
    const { workspaceId } = watcher.caller;
    watchers.set(workspaceId, (watchers.get(workspaceId) ?? new Set()).add(watcher));
    stopListening ??= notifications.onUpdated(hear);
  }

  function remove(watcher: Watcher): void {
    const { workspaceId } = watcher.caller;
    const others = watchers.get(workspaceId);
    others?.delete(watcher);
    if (others?.size === 0) watchers.delete(workspaceId);
    if (watchers.size > 0) return;
    stopListening?.();
    stopListening = null;
  }

  return {
    async watch({ caller, signal }, { webhook_id }) {
      const watcher: Watcher = { caller, webhookId: webhook_id, mailbox: mailbox() };
      const stop = () => {
        remove(watcher);
        watcher.mailbox.close();
      };
      if (signal.aborted) stop();
      else {
        add(watcher);
        // A generator that is never started runs no `finally`: the signal ends the watching all the same.
        signal.addEventListener('abort', stop, { once: true });
      }
      return deliveriesOf(watcher, () => {
        signal.removeEventListener('abort', stop);
        stop();
      });
    },
  };

  async function* deliveriesOf(watcher: Watcher, stop: () => void): AsyncGenerator<Delivery> {
    try {
      for (;;) {
        await watcher.mailbox.ready();
        await pacer.next();
        // Taken last, so that the delivery is as new as can be.
        const delivery = watcher.mailbox.take();
        if (delivery === null) return;
        yield delivery;
      }
    } finally {
      stop();
    }
  }
}

/** Adds the ids at the end. Beyond the bound the oldest are dropped: a delivery that goes on changing is reported again. */
function addBounded(changed: Set<string>, ids: readonly string[]): void {
  for (const id of ids) {
    changed.delete(id);
    changed.add(id);
    const oldest = changed.size > maxChangedIds ? changed.values().next().value : undefined;
    if (oldest !== undefined) changed.delete(oldest);
  }
}

/** Whether a watcher is told of a delivery. */
const watches = ({ caller, webhookId }: Watcher, row: DeliveryTable): boolean =>
  (webhookId === undefined || webhookId === row.webhook_id) && canSee(caller, row);

/** One read of what any of the watchers may see. A condition that one of them does not have is none of the query's. */
async function watchedRows(
  database: Database,
  watchers: readonly Watcher[],
  ids: readonly string[],
): Promise<readonly DeliveryTable[]> {
  const workspaceIds = distinct(watchers.map(({ caller }) => [caller.workspaceId]));
  const webhookIds = distinct(watchers.map(({ webhookId }) => (webhookId === undefined ? null : [webhookId])));
  const accountIds = distinct(watchers.map(({ caller }) => caller.accountIds));
  return storedDeliveries(database)
    .where('deliveries.id', 'in', ids)
    .$if(workspaceIds !== null, (query) => query.where('deliveries.workspace_id', 'in', workspaceIds ?? []))
    .$if(webhookIds !== null, (query) => query.where('deliveries.webhook_id', 'in', webhookIds ?? []))
    .where(amongAccounts(accountIds, 'deliveries.account_id'))
    .execute();
}

/** More values than that are no condition of a query: a statement has few parameters, and the watchers are asked anyway. */
const maxValues = 1_000;

/** The values of all lists; null where one of the lists stands for every value, or there are too many to ask for. */
function distinct(lists: readonly (Iterable<string> | null)[]): string[] | null {
  const values = new Set<string>();
  for (const list of lists) {
    if (list === null) return null;
    for (const value of list) values.add(value);
  }
  return values.size > maxValues ? null : [...values];
}
