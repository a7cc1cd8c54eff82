/**
 * Notifications: that there is new work, and which deliveries have changed. A transaction records what it changed, and
 * with its commit everybody hears of it: this process by calls, other processes on Postgres by NOTIFY, which is sent in
 * the transaction and delivered with its commit. On SQLite other processes find work when they poll.
 */
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Logger } from 'pino';
import type { Database, DatabaseLocation } from './database.ts';
import { type DatabaseKind, rowsTable, rowsText } from './json-rows.ts';
import { listen } from './postgres-listener.ts';
import type { Tables } from './schema.ts';
import { inTransaction } from './transaction.ts';

/** A message on either channel is the process that sent it and, for updates, the ids of deliveries, joined by commas. */
const workChannel = 'postern_work';
const updateChannel = 'postern_updates';

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
}

/** Records what a transaction changes. */
export interface ChangeRecorder {
  /** Deliveries became due. */
  work(): void;
  /** Deliveries were created, or their state changed. */
  deliveries(ids: readonly string[]): void;
}

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
  /** Notifies this process of changes that are committed. */
  publish(changes: Changes): void;
  onWork(listener: () => void): void;
  /** @returns stops listening */
  onUpdated(listener: UpdateListener): () => void;
  /** Ends every subscription. */
  end(): void;
  close(): Promise<void>;
}

/** @param session statements with which a connection to Postgres begins that is open as long as the process lives */
export function createNotifications(
  database: Database,
  location: DatabaseLocation,
  { session, logger }: { readonly session?: readonly string[]; readonly logger: Logger },
): Notifications {
  const workers = new Set<() => void>();
  const subscribers = new Set<UpdateListener>();
  let ended = false;
  const publish = ({ work, deliveryIds }: Changes) => {
    if (work) for (const listener of workers) listener();
    if (deliveryIds.length > 0) for (const listener of subscribers) listener(deliveryIds);
  };
  const origin = crypto.randomUUID();
  const remote =
    location.kind === 'postgres'
      ? listen(location, {
          channels: [workChannel, updateChannel],
          ...(session === undefined ? {} : { session }),
          onMessage(channel, payload) {
            const [from, ...deliveryIds] = payload.split(',');
            if (from !== origin) publish({ work: channel === workChannel, deliveryIds });
          },
          onConnected: () => publish({ work: true, deliveryIds: [] }),
          logger,
        })
      : null;
  const transactionOn = (connections: Database) =>
    notifyingTransaction(connections, location.kind, { origin, publish });
  return {
    transaction: transactionOn(database),
    transactionOn,
    publish,
    onWork: (listener) => void workers.add(listener),
    onUpdated(listener) {
      if (ended) listener(null);
      subscribers.add(listener);
      return () => void subscribers.delete(listener);
    },
    end() {
      ended = true;
      for (const listener of subscribers) listener(null);
    },
    close: async () => remote?.close(),
  };
}

/** The sender of a notification, which ignores its own, and how it notifies itself. */
interface Sender {
  readonly origin: string;
  readonly publish: (changes: Changes) => void;
}

/** A process without listeners of its own, such as a command, is no sender that anybody needs to know. */
const nobody: Sender = { origin: '', publish: () => {} };

export const notifyingTransaction =
  (database: Database, kind: DatabaseKind, { origin, publish }: Sender = nobody): NotifyingTransaction =>
  async (work) => {
    const { value, changes } = await inTransaction(database, async (transaction) => {
      const deliveryIds: string[] = [];
      const changes = { work: false, deliveryIds };
      const recorder: ChangeRecorder = {
        work() {
          changes.work = true;
        },
        deliveries: (ids) => void deliveryIds.push(...ids.slice(0, maxChangedIds - deliveryIds.length)),
      };
      const value = await work(transaction, recorder);
      if (kind === 'postgres') await notify(transaction, origin, changes);
      return { value, changes };
    });
    publish(changes);
    return value;
  };

/** Sends the changes to other processes, with the commit of the transaction. */
async function notify(transaction: Kysely<Tables>, origin: string, { work, deliveryIds }: Changes): Promise<void> {
  const messages = work ? [{ channel: workChannel, payload: origin }] : [];
  for (let at = 0; at < deliveryIds.length; at += idsOfNotification) {
    const ids = deliveryIds.slice(at, at + idsOfNotification);
    messages.push({ channel: updateChannel, payload: [origin, ...ids].join() });
  }
  if (messages.length === 0) return;
  const rows = rowsTable('postgres', 'message', { channel: 'text', payload: 'text' }, rowsText(messages));
  await sql`select pg_notify(message.channel, message.payload) from ${rows}`.execute(transaction);
}
