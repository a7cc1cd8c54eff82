/**
 * What the parts of delivery tell one another: that there is work, and which deliveries have changed. Within a process by
 * calls; between processes on Postgres by NOTIFY, sent in the transaction that it tells of. On SQLite other processes
 * find work when they look for it.
 */
import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import type { Logger } from 'pino';
import type { DatabaseLocation } from '../store/database.ts';
import type { DatabaseKind } from '../store/json-rows.ts';
import type { Tables } from '../store/schema.ts';

const workChannel = 'postern_work';
const updateChannel = 'postern_updates';

/** NOTIFY carries less than 8,000 bytes: this many ids and their quotes. */
const idsOfNotification = 250;

/** A reconnection waits this long, so that a server that is down is not hammered. */
const reconnectMs = 1_000;

export type Updated = (deliveryIds: readonly string[]) => void;

/** Null: there are no more updates, the process stops. */
export type UpdateListener = (deliveryIds: readonly string[] | null) => void;

/** What is told within a transaction to other processes, once it is committed. */
export interface Announcements {
  announceWork(transaction: Kysely<Tables>): Promise<void>;
  announceUpdates(transaction: Kysely<Tables>, deliveryIds: readonly string[]): Promise<void>;
}

export interface Signals extends Announcements {
  /** Tells the worker of this process that there is work. */
  work(): void;
  /** Tells the subscribers of this process that deliveries have changed. */
  updated: Updated;
  onWork(listener: () => void): void;
  /** @returns how to stop listening */
  onUpdated(listener: UpdateListener): () => void;
  /** Ends what waits for updates. */
  end(): void;
  close(): Promise<void>;
}

export function createSignals(location: DatabaseLocation, logger: Logger): Signals {
  const workers = new Set<() => void>();
  const subscribers = new Set<UpdateListener>();
  let ended = false;
  const work = () => {
    for (const listener of workers) listener();
  };
  const updated: Updated = (ids) => {
    for (const listener of subscribers) listener(ids);
  };
  const origin = crypto.randomUUID();
  const remote = location.kind === 'postgres' ? listen(location.url, { origin, work, updated }, logger) : null;
  return {
    work,
    updated,
    ...announcements(location.kind, origin),
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

/** @param origin the process that tells, which need not be told */
export function announcements(kind: DatabaseKind, origin: string): Announcements {
  const notify = async (transaction: Kysely<Tables>, channel: string, payload: string) => {
    if (kind === 'postgres') await sql`select pg_notify(${channel}, ${payload})`.execute(transaction);
  };
  return {
    announceWork: (transaction) => notify(transaction, workChannel, origin),
    async announceUpdates(transaction, ids) {
      for (let at = 0; at < ids.length; at += idsOfNotification) {
        await notify(transaction, updateChannel, [origin, ...ids.slice(at, at + idsOfNotification)].join());
      }
    },
  };
}

/** Listens on a connection of its own, and gets a new one when it is lost. */
function listen(
  url: string,
  { origin, work, updated }: { readonly origin: string; readonly work: () => void; readonly updated: Updated },
  logger: Logger,
): { close(): Promise<void> } {
  let closed = false;
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;

  const retry = (error: unknown) => {
    if (closed || timer !== undefined) return;
    logger.warn({ err: error }, 'lost the notifications of the database, connecting again');
    client?.end().catch(() => {});
    timer = setTimeout(() => {
      timer = undefined;
      connecting = connect();
    }, reconnectMs);
  };
  const connect = async () => {
    const next = new pg.Client({ connectionString: url, keepAlive: true });
    client = next;
    next.on('error', retry);
    next.on('end', () => retry(new Error('the connection ended')));
    next.on('notification', ({ channel, payload = '' }) => {
      const [from, ...ids] = payload.split(',');
      if (from === origin) return;
      if (channel === workChannel) work();
      else updated(ids);
    });
    try {
      await next.connect();
      await next.query(`listen ${workChannel}; listen ${updateChannel}`);
      // What was announced while nobody listened.
      work();
    } catch (error) {
      retry(error);
    }
  };
  let connecting = connect();
  return {
    async close() {
      closed = true;
      clearTimeout(timer);
      await connecting;
      await client?.end();
    },
  };
}
