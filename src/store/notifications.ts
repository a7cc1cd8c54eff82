/**
 * Notifications of new work and changed deliveries, announced with the commit: to this process by calls, to others on
 * Postgres by NOTIFY. On SQLite other processes find work when they poll.
 */
import { type Kysely, sql, type Transaction } from 'kysely';
import { channelNames, encodeMessage, nobody } from './channel-messages.ts';
import type { Channels } from './channels.ts';
import type { Database } from './database.ts';
import { type DatabaseKind, rowsTable, rowsText } from './json.ts';
import type { Tables } from './schema.ts';
import { inTransaction } from './transaction.ts';

/** NOTIFY carries less than 8,000 bytes: this many ids and commas. */
const idsOfNotification = 250;

/** Per transaction, and waiting to be read for watchers. Those beyond are left out until their next attempt. */
export const maxChangedIds = 1_000;

interface RecordedChanges {
  readonly work: boolean;
  readonly deliveryIds: readonly string[];
}

const noChanges: RecordedChanges = { work: false, deliveryIds: [] };

export interface ChangeRecorder {
  work(): void;
  /** Created, or changed in state. */
  deliveries(ids: readonly string[]): void;
}

/** Runs `work`, again after a conflict: it must change the database only. Announces the changes with the commit. */
export type NotifyingTransaction = <Result>(
  work: (transaction: Transaction<Tables>, changed: ChangeRecorder) => Promise<Result>,
) => Promise<Result>;

export interface UpdateListener {
  /** @param deliveryIds at least one */
  onUpdated(deliveryIds: readonly string[]): void;
  /** Updates of other processes may have been missed. */
  onMissed(): void;
  /** The process stops: no updates follow. */
  onEnd(): void;
}

export type Notifications = ReturnType<typeof createNotifications>;

/** @param channels to other processes; null on SQLite */
export function createNotifications(database: Database, channels: Channels | null) {
  const workers = new Set<() => void>();
  const subscribers = new Set<UpdateListener>();
  let ended = false;
  const publish = ({ work, deliveryIds }: RecordedChanges) => {
    if (work) for (const listener of workers) listener();
    if (deliveryIds.length > 0) for (const { onUpdated } of subscribers) onUpdated(deliveryIds);
  };
  channels?.subscribe('work', {
    onMessage: () => publish({ ...noChanges, work: true }),
    onConnected: () => publish({ ...noChanges, work: true }),
  });
  let wasConnected = false;
  channels?.subscribe('updates', {
    onMessage: (ids) => publish({ ...noChanges, deliveryIds: ids.split(',') }),
    onConnected() {
      if (wasConnected) for (const { onMissed } of subscribers) onMissed();
      wasConnected = true;
    },
  });
  const kind = channels === null ? 'sqlite' : 'postgres';
  const transactionOn = (connections: Database) =>
    notifyingTransaction(connections, kind, { origin: channels?.origin ?? nobody, publish });
  return {
    transaction: transactionOn(database),
    transactionOn,
    /** Announces what a transaction of SQLite has changed. @param deliveryIds created, or changed in state */
    committed: (deliveryIds: readonly string[]) =>
      publish({ ...noChanges, deliveryIds: deliveryIds.slice(0, maxChangedIds) }),
    onWork(listener: () => void) {
      workers.add(listener);
    },
    /** @returns stops listening */
    listen(listener: UpdateListener): () => void {
      if (ended) listener.onEnd();
      subscribers.add(listener);
      return () => {
        subscribers.delete(listener);
      };
    },
    end() {
      ended = true;
      for (const { onEnd } of subscribers) onEnd();
    },
  };
}

/** The sender ignores its own notifications: it calls its listeners itself. */
interface Sender {
  readonly origin: string;
  readonly publish: (changes: RecordedChanges) => void;
}

const silentSender: Sender = { origin: nobody, publish: () => {} };

export const notifyingTransaction =
  (database: Database, kind: DatabaseKind, { origin, publish }: Sender = silentSender): NotifyingTransaction =>
  async (work) => {
    const { value, changes } = await inTransaction(database, async (transaction) => {
      const deliveryIds: string[] = [];
      const changes = { work: false, deliveryIds };
      const recorder: ChangeRecorder = {
        work() {
          changes.work = true;
        },
        deliveries(ids) {
          deliveryIds.push(...ids.slice(0, maxChangedIds - deliveryIds.length));
        },
      };
      const value = await work(transaction, recorder);
      if (kind === 'postgres') await notify(transaction, origin, changes);
      return { value, changes };
    });
    publish(changes);
    return value;
  };

/** Reaches other processes with the commit of the transaction. */
async function notify(
  transaction: Kysely<Tables>,
  origin: string,
  { work, deliveryIds }: RecordedChanges,
): Promise<void> {
  const messages: { readonly channel: string; readonly payload: string }[] = work
    ? [{ channel: channelNames.work, payload: encodeMessage(origin) }]
    : [];
  for (let at = 0; at < deliveryIds.length; at += idsOfNotification) {
    const ids = deliveryIds.slice(at, at + idsOfNotification);
    messages.push({ channel: channelNames.updates, payload: encodeMessage(origin, ids.join()) });
  }
  if (messages.length === 0) return;
  const rows = rowsTable('postgres', 'message', rowsText({ channel: 'text', payload: 'text' }, messages));
  await sql`select pg_notify(message.channel, message.payload) from ${rows}`.execute(transaction);
}
