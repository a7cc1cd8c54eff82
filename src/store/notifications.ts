/**
 * Notifications: that there is new work, and which deliveries have changed. A transaction records what it changed, and
 * with its commit everybody hears of it: this process by calls, other processes on Postgres by its channels: NOTIFY is sent
 * in the transaction and delivered with its commit. On SQLite other processes find work when they poll.
 */
import { type Kysely, sql, type Transaction } from 'kysely';
import { type Channels, channelNames, messageOf, nobody } from './channels.ts';
import type { Database } from './database.ts';
import { type DatabaseKind, rowsTable, rowsText } from './json-rows.ts';
import type { Tables } from './schema.ts';
import { inTransaction } from './transaction.ts';

/** NOTIFY carries less than 8,000 bytes: this many ids and their commas. */
const idsOfNotification = 250;

/**
 * Changed deliveries that one transaction reports, and that wait to be read for those who watch; those beyond are left
 * out. They are reported again with their next attempt.
 */
export const maxChangedIds = 1_000;

/** What a transaction changed. */
export interface Changes {
  /** Whether deliveries became due. */
  readonly work: boolean;
  readonly deliveryIds: readonly string[];
  /** The webhooks whose claimed deliveries are not to be sent as they are. */
  readonly withdrawn: readonly string[];
}

const noChanges: Changes = { work: false, deliveryIds: [], withdrawn: [] };

/** Records what a transaction changes. */
export interface ChangeRecorder {
  /** Deliveries became due. */
  work(): void;
  /** Deliveries were created, or their state changed. */
  deliveries(ids: readonly string[]): void;
  /** A webhook was disabled or deleted, or delivers something else, or elsewhere, from now on. */
  withdrawn(webhookId: string): void;
}

/** The webhooks that are withdrawn; null: any may have been. */
export type WithdrawalListener = (webhookIds: readonly string[] | null) => void;

/**
 * Runs `work` in a transaction, again if others were in its way, so it changes nothing but the database. When the
 * transaction has committed, everybody is notified of the changes that `work` recorded.
 */
export type NotifyingTransaction = <Result>(
  work: (transaction: Transaction<Tables>, changed: ChangeRecorder) => Promise<Result>,
) => Promise<Result>;

/** Null: there are no more updates, because the process stops. */
export type UpdateListener = (deliveryIds: readonly string[] | null) => void;

export interface Notifications {
  readonly transaction: NotifyingTransaction;
  /** The same over other connections to the database. */
  transactionOn(connections: Database): NotifyingTransaction;
  onWork(listener: () => void): void;
  onWithdrawn(listener: WithdrawalListener): void;
  /** @returns stops listening */
  onUpdated(listener: UpdateListener): () => void;
  /** Ends every subscription. */
  end(): void;
}

/** @param channels to other processes; null on SQLite */
export function createNotifications(database: Database, channels: Channels | null): Notifications {
  const workers = new Set<() => void>();
  const subscribers = new Set<UpdateListener>();
  const withdrawals = new Set<WithdrawalListener>();
  let ended = false;
  const withdraw: WithdrawalListener = (ids) => {
    for (const listener of withdrawals) listener(ids);
  };
  const publish = ({ work, deliveryIds, withdrawn }: Changes) => {
    if (withdrawn.length > 0) withdraw(withdrawn);
    if (work) for (const listener of workers) listener();
    if (deliveryIds.length > 0) for (const listener of subscribers) listener(deliveryIds);
  };
  channels?.subscribe('work', {
    onMessage: () => publish({ ...noChanges, work: true }),
    onConnected: () => publish({ ...noChanges, work: true }),
  });
  channels?.subscribe('withdrawn', {
    onMessage: (id) => withdraw([id]),
    onConnected: () => withdraw(null),
  });
  channels?.subscribe('updates', { onMessage: (ids) => publish({ ...noChanges, deliveryIds: ids.split(',') }) });
  const kind = channels === null ? 'sqlite' : 'postgres';
  const transactionOn = (connections: Database) =>
    notifyingTransaction(connections, kind, { origin: channels?.origin ?? nobody, publish });
  return {
    transaction: transactionOn(database),
    transactionOn,
    onWork(listener) {
      workers.add(listener);
    },
    onWithdrawn(listener) {
      withdrawals.add(listener);
    },
    onUpdated(listener) {
      if (ended) listener(null);
      subscribers.add(listener);
      return () => {
        subscribers.delete(listener);
      };
    },
    end() {
      ended = true;
      for (const listener of subscribers) listener(null);
    },
  };
}

/** The sender of a notification, which ignores its own, and how it notifies itself. */
interface Sender {
  readonly origin: string;
  readonly publish: (changes: Changes) => void;
}

const silentSender: Sender = { origin: nobody, publish: () => {} };

export const notifyingTransaction =
  (database: Database, kind: DatabaseKind, { origin, publish }: Sender = silentSender): NotifyingTransaction =>
  async (work) => {
    const { value, changes } = await inTransaction(database, async (transaction) => {
      const deliveryIds: string[] = [];
      const withdrawn: string[] = [];
      const changes = { work: false, deliveryIds, withdrawn };
      const recorder: ChangeRecorder = {
        work() {
          changes.work = true;
        },
        deliveries(ids) {
          deliveryIds.push(...ids.slice(0, maxChangedIds - deliveryIds.length));
        },
        withdrawn(webhookId) {
          withdrawn.push(webhookId);
        },
      };
      const value = await work(transaction, recorder);
      if (kind === 'postgres') await notify(transaction, origin, changes);
      return { value, changes };
    });
    publish(changes);
    return value;
  };

/** Sends the changes to other processes, with the commit of the transaction. */
async function notify(
  transaction: Kysely<Tables>,
  origin: string,
  { work, deliveryIds, withdrawn }: Changes,
): Promise<void> {
  const messages: { readonly channel: string; readonly payload: string }[] = work
    ? [{ channel: channelNames.work, payload: messageOf(origin) }]
    : [];
  for (const id of withdrawn) messages.push({ channel: channelNames.withdrawn, payload: messageOf(origin, id) });
  for (let at = 0; at < deliveryIds.length; at += idsOfNotification) {
    const ids = deliveryIds.slice(at, at + idsOfNotification);
    messages.push({ channel: channelNames.updates, payload: messageOf(origin, ids.join()) });
  }
  if (messages.length === 0) return;
  const rows = rowsTable('postgres', 'message', { channel: 'text', payload: 'text' }, rowsText(messages));
  await sql`select pg_notify(message.channel, message.payload) from ${rows}`.execute(transaction);
}
