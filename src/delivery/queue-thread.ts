/**
 * Where the turns of the queue are made. SQLite works in the thread that calls it, and the disk is a part of its work: a
 * database in a file gets a thread for them, so that requests go on while results are being stored. Postgres is a process
 * of its own already, and a database in memory belongs to the connection that made it.
 */
import { Piscina } from 'piscina';
import type { Database, DatabaseLocation } from '../store/database.ts';
import type { Announcements } from './notifications.ts';
import type { MakeTurn } from './queue.ts';
import { makeTurn, type TurnOrder, type TurnReport } from './queue-transaction.ts';

export interface Turns {
  readonly make: MakeTurn;
  close(): Promise<void>;
}

/** @param database the connection of this thread, brought to the present schema */
export function openTurns(database: Database, location: DatabaseLocation, signals: Announcements): Turns {
  if (location.kind === 'sqlite' && location.file !== ':memory:') return threadTurns(database, location.file);
  const context = { kind: location.kind, signals };
  return {
    make: (order) => database.transaction().execute((transaction) => makeTurn(transaction, context, order)),
    close: async () => {},
  };
}

function threadTurns(database: Database, file: string): Turns {
  const thread = new Piscina<TurnOrder, TurnReport>({
    filename: new URL('./queue-thread-entry.ts', import.meta.url).href,
    workerData: file,
    minThreads: 1,
    maxThreads: 1,
  });
  return {
    // The one connection of this thread is held meanwhile: two of one process that wait for each other at the file would
    // have to sleep.
    make: (order) => database.connection().execute(() => thread.run(order)),
    close: () => thread.close(),
  };
}
