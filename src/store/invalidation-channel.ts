/**
 * Tells the processes that share a Postgres server whose data a command has changed. On SQLite nobody can be told.
 */
import { sql } from 'kysely';
import type { ChangeFeed, ChangeListener } from '../response-cache/shared-memory-store.ts';
import type { Database } from './database.ts';

/** A message is the process that sent it and the tenant, with a comma between. */
export const changeChannel = 'postern_changed';

export interface PostgresChangeFeed extends ChangeFeed {
  /** Takes what was heard on the channel. */
  receive(message: string): void;
  connected(): void;
  lost(): void;
}

export function createChangeFeed(database: () => Database): PostgresChangeFeed {
  const origin = crypto.randomUUID();
  let isConnected = false;
  let listener: ChangeListener | undefined;
  return {
    async publish(tenant) {
      await sql`select pg_notify(${changeChannel}, ${`${origin},${tenant}`})`.execute(database());
    },
    listen(next) {
      listener = next;
      if (isConnected) next.onConnected();
    },
    receive(message) {
      const [from, tenant = ''] = message.split(/,(.*)/s);
      if (from !== origin) listener?.onChange(tenant);
    },
    connected() {
      isConnected = true;
      listener?.onConnected();
    },
    lost() {
      isConnected = false;
      listener?.onLost();
    },
  };
}
