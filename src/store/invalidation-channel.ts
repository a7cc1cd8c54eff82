/** Invalidations between the processes that share a Postgres server, as notifications. SQLite has none. */
import { sql } from 'kysely';
import type { InvalidationChannel, InvalidationListener } from '../invalidation-channel.ts';
import type { Database } from './database.ts';

/** The Postgres channel. A message is the process that sent it and the tenant, with a comma between. */
export const invalidationChannel = 'postern_changed';

export interface PostgresInvalidationChannel extends InvalidationChannel {
  /** Takes a message of the channel. */
  receive(message: string): void;
  connected(): void;
  lost(): void;
}

/**
 * The sending half, and the way from the connection that listens to the listener. A process does not receive what it sent itself.
 * @param database for the notifications
 */
export function createInvalidationChannel(database: () => Database): PostgresInvalidationChannel {
  const origin = crypto.randomUUID();
  let isConnected = false;
  let listener: InvalidationListener | undefined;
  return {
    async publish(tenant) {
      await sql`select pg_notify(${invalidationChannel}, ${`${origin},${tenant}`})`.execute(database());
    },
    listen(next) {
      listener = next;
      if (isConnected) next.onConnected();
    },
    receive(message) {
      const [from, tenant = ''] = message.split(/,(.*)/s);
      if (from !== origin) listener?.onInvalidation(tenant);
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
