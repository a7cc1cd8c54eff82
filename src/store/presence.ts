/**
 * Liveness of the processes on a database, by a lock that the system releases with the process: on SQLite of a file, on
 * Postgres an advisory lock of each connection that claims (one that only listens may be lost before).
 */

import { sql } from 'kysely';
import type { RandomBytes } from '../kernel/ids.ts';
import type { Clock } from '../kernel/lib/time-units.ts';
import type { Database, DatabaseLocation } from './database.ts';
import { openFilePresence } from './process-files.ts';

export const processIdLength = 8;

export interface Presence {
  /** {@link processIdLength} hex digits. */
  readonly id: string;
  /** A process whose lock cannot be judged counts as alive. */
  findDead(ids: readonly string[]): Promise<string[]>;
  close(): void;
}

/** First of the two numbers of a liveness lock. */
const lockClass = 0x70_6f_73_74;

/** On Postgres a process is dead after this long without a lock, in milliseconds: reconnecting is quicker. */
const missingMs = 3_000;

/** First statement of a connection: marks the process alive while it is open. Shared: there may be several. */
export const aliveWhileOpen = (processId: string): string =>
  `select pg_advisory_lock_shared(${lockClass}, ${Number.parseInt(processId, 16) | 0})`;

export function openPresence(
  database: Database,
  location: DatabaseLocation,
  {
    processId,
    randomBytes,
    clock = () => performance.now(),
  }: { readonly processId: string; readonly randomBytes: RandomBytes; readonly clock?: Clock },
): Presence {
  if (location.kind === 'postgres') return postgresPresence(database, processId, clock);
  // Memory is shared with nobody.
  if (location.file === ':memory:') return { ...alone, id: processId };
  const { id, findDead, close } = openFilePresence(location.file, () => newProcessId(randomBytes));
  return { id, findDead: async (ids) => findDead(ids), close };
}

const alone: Omit<Presence, 'id'> = { findDead: async () => [], close: () => {} };

export const newProcessId = (randomBytes: RandomBytes): string => randomBytes(processIdLength / 2).toString('hex');

function postgresPresence(database: Database, id: string, clock: Clock): Presence {
  /** Processes without a lock, and when that was first seen. */
  let missing = new Map<string, number>();
  return {
    id,
    async findDead(ids) {
      const { rows } = await sql<{ process: number }>`
        select objid::bigint as process from pg_locks
        where locktype = 'advisory' and classid = ${lockClass} and objsubid = 2 and granted
          and database = (select oid from pg_database where datname = current_database())`.execute(database);
      const alive = new Set(rows.map(({ process }) => process.toString(16).padStart(processIdLength, '0')));
      // A process without its own lock cannot judge others: all connections may be lost.
      const absent = alive.has(id) ? ids.filter((each) => !alive.has(each)) : [];
      missing = new Map(absent.map((each) => [each, missing.get(each) ?? clock()]));
      return absent.filter((each) => clock() - (missing.get(each) ?? clock()) >= missingMs);
    },
    close: () => {},
  };
}
