/**
 * Notifications of new work, changed deliveries and stored events, announced after the commit: to this process by calls,
 * to others by messages, on Postgres with NOTIFY. Within the transaction, NOTIFY would take a lock of the whole server until the commit is
 * on the disk: all transactions of all databases that notify would commit one after the other. If the process ends in
 * between, other processes find work when they poll, as on SQLite.
 */
import type { Kysely, Transaction } from 'kysely';
import { ServiceError } from '../kernel/errors.ts';
import type { After } from '../kernel/lib/after.ts';
import { keysOf } from '../kernel/lib/objects.ts';
import { type ChannelMessage, type Channels, nobody, notify } from './channel-messages.ts';
import type { Database } from './database.ts';
import { isPostgres } from './is-postgres.ts';
import type { Tables } from './schema.ts';
import { inTransaction } from './transaction.ts';

/** NOTIFY carries less than 8,000 bytes: this many ids and commas. */
const idsOfNotification = 250;

/**
 * Per transaction, and waiting to be read for watchers. Deliveries beyond are left out until their next attempt; of
 * events, watchers are told that they have missed some.
 */
export const maxChangedIds = 1_000;

/** What is announced by its id. */
type Topic = 'deliveries' | 'events';

const channelOf = { deliveries: 'updates', events: 'events' } as const satisfies Record<Topic, string>;
const topics = keysOf(channelOf);

interface RecordedChanges {
  readonly work: boolean;
  readonly ids: Readonly<Record<Topic, readonly string[]>>;
}

const noChanges: RecordedChanges = { work: false, ids: { deliveries: [], events: [] } };

/** Milliseconds in which announcements wait for each other, for one statement. */
const announceMs = 10;

/** Milliseconds until changes that could not be announced are tried again. */
const announceAgainMs = 1_000;

export interface ChangeRecorder {
  work(): void;
  /** Created, or changed in state. */
  deliveries(ids: readonly string[]): void;
  /** Stored, for all who watch their account. */
  event(id: string): void;
}

type Notifying<Open> = <Result>(work: (open: Open, changed: ChangeRecorder) => Promise<Result>) => Promise<Result>;

/** Runs `work`, again after a conflict: it must change the database only. Announces the changes after the commit. */
export type NotifyingTransaction = Notifying<Transaction<Tables>>;

/** Runs `work`, of which one statement changes the database, without a transaction around it. Announces its changes. */
export type NotifyingStatement = Notifying<Kysely<Tables>>;

export interface UpdateListener {
  /** @param ids of the topic, at least one */
  onUpdated(ids: readonly string[]): void;
  /** Some of other processes may have been missed. */
  onMissed(): void;
  /** The process stops: no updates follow. */
  onEnd(): void;
}

export type Notifications = ReturnType<typeof createNotifications>;

/** @param channels to other processes; null where there is nobody to pass messages on */
export function createNotifications(database: Database, channels: Channels | null, after: After) {
  const workers = new Set<() => void>();
  const subscribers = { deliveries: new Set<UpdateListener>(), events: new Set<UpdateListener>() };
  let ended = false;
  const publish = ({ work, ids }: RecordedChanges) => {
    if (work) for (const listener of workers) listener();
    for (const topic of topics)
      if (ids[topic].length > 0) for (const { onUpdated } of subscribers[topic]) onUpdated(ids[topic]);
  };
  const missed = (topic: Topic) => {
    for (const { onMissed } of subscribers[topic]) onMissed();
  };
  channels?.subscribe('work', {
    onMessage: () => publish({ ...noChanges, work: true }),
    onConnected: () => publish({ ...noChanges, work: true }),
  });
  let connect = () => {};
  const connected = channels === null ? Promise.resolve() : new Promise<void>((resolve) => (connect = resolve));
  for (const topic of topics) {
    let wasConnected = false;
    channels?.subscribe(channelOf[topic], {
      onMessage(ids) {
        if (ids === '') missed(topic);
        else publish({ ...noChanges, ids: { ...noChanges.ids, [topic]: ids.split(',') } });
      },
      onConnected() {
        // Each event is announced once: what came before the first connection was missed as well.
        if (wasConnected || topic === 'events') missed(topic);
        wasConnected = true;
        connect();
      },
    });
  }
  const announcer = channels === null ? null : createAnnouncer((messages) => channels.send(database, messages), after);
  const tell = (changes: RecordedChanges): undefined => {
    publish(changes);
    announcer?.add(changes);
  };
  const transactionOn = (connections: Database): NotifyingTransaction =>
    recorded((work) => inTransaction(connections, work), tell);
  return {
    transaction: transactionOn(database),
    transactionOn,
    /** Null on SQLite, which has no statement that stores rows of two tables. */
    statement: isPostgres(database) ? recorded<Kysely<Tables>>((work) => work(database), tell) : null,
    /** Announces what a transaction of SQLite has changed. @param deliveryIds created, or changed in state */
    committed: (deliveryIds: readonly string[]) =>
      tell({ ...noChanges, ids: { ...noChanges.ids, deliveries: deliveryIds.slice(0, maxChangedIds) } }),
    /** Resolves with the first connection to other processes. */
    connected,
    onWork(listener: () => void) {
      workers.add(listener);
    },
    /** @returns stops listening */
    listen(listener: UpdateListener, topic: Topic = 'deliveries'): () => void {
      if (ended) listener.onEnd();
      subscribers[topic].add(listener);
      return () => {
        subscribers[topic].delete(listener);
      };
    },
    end() {
      ended = true;
      for (const topic of topics) for (const { onEnd } of subscribers[topic]) onEnd();
    },
    /** Resolves when the last changes are announced, or could not be: then others poll. */
    close: async () => announcer?.close(),
  };
}

/** The transactions of a command, which ends with its work: it announces its changes at once. */
export const notifyingTransaction = (database: Database): NotifyingTransaction =>
  recorded(
    (work) => inTransaction(database, work),
    (changes) => (isPostgres(database) ? notify(database, nobody, messagesOf(changes)) : undefined),
  );

const recorded =
  <Open>(
    run: <Result>(work: (open: Open) => Promise<Result>) => Promise<Result>,
    announce: (changes: RecordedChanges) => Promise<void> | undefined,
  ): Notifying<Open> =>
  async (work) => {
    let changes: RecordedChanges | undefined;
    const recordedWork = async (open: Open) => {
      const ids = { deliveries: [] as string[], events: [] as string[] };
      const own = { work: false, ids };
      changes = own;
      const recorder: ChangeRecorder = {
        work() {
          own.work = true;
        },
        deliveries(changed) {
          ids.deliveries.push(...changed.slice(0, maxChangedIds - ids.deliveries.length));
        },
        event(id) {
          ids.events.push(id);
        },
      };
      return work(open, recorder);
    };
    let value: Awaited<ReturnType<typeof recordedWork>>;
    try {
      value = await run(recordedWork);
    } catch (error) {
      // Nobody else would tell of what may be stored: whoever repeats the request hears that it is.
      if (changes !== undefined && error instanceof ServiceError && error.outcomeUnknown) await announce(changes);
      throw error;
    }
    if (changes !== undefined) await announce(changes);
    return value;
  };

/** Announces the changes of all transactions of some milliseconds at once. The sender ignores its own notifications. */
function createAnnouncer(send: (messages: readonly ChannelMessage[]) => Promise<void>, after: After) {
  let work = false;
  let ids = { deliveries: new Set<string>(), events: new Set<string>() };
  let cancel: (() => void) | null = null;
  let announcing: Promise<void> = Promise.resolve();

  function add(changes: RecordedChanges, ms = announceMs): void {
    work ||= changes.work;
    // One beyond shows that others are left out.
    for (const topic of topics)
      for (const id of changes.ids[topic]) if (ids[topic].size <= maxChangedIds) ids[topic].add(id);
    if (work || topics.some((topic) => ids[topic].size > 0)) cancel ??= after(ms, announce);
  }

  function announce(): void {
    const changes = { work, ids: { deliveries: [...ids.deliveries], events: [...ids.events] } };
    [work, ids, cancel] = [false, { deliveries: new Set(), events: new Set() }, null];
    // The fault is told by the pool, to whom the readiness of the process belongs.
    announcing = announcing.then(() => send(messagesOf(changes))).catch(() => add(changes, announceAgainMs));
  }

  return {
    add,
    async close() {
      cancel?.();
      announce();
      await announcing;
      cancel?.();
    },
  };
}

function messagesOf({ work, ids }: RecordedChanges): ChannelMessage[] {
  const messages: ChannelMessage[] = work ? [{ channel: 'work', text: '' }] : [];
  for (const topic of topics) {
    const all = ids[topic].slice(0, maxChangedIds);
    for (let at = 0; at < all.length; at += idsOfNotification)
      messages.push({ channel: channelOf[topic], text: all.slice(at, at + idsOfNotification).join() });
  }
  if (ids.events.length > maxChangedIds) messages.push({ channel: 'events', text: '' });
  return messages;
}
