/**
 * Which processes on a database are alive. Each holds a lock that the system releases when the process dies, however it
 * dies: on SQLite that of a file beside the database, on Postgres an advisory lock of each connection that claims and settles
 * deliveries. One that only listens would not do: without it a process goes on, and what it has claimed is its own.
 */
import { sql } from 'kysely';
import type { RandomBytes } from '../kernel/ids.ts';
import type { Database, DatabaseLocation } from './database.ts';
import { openFilePresence } from './file-presence.ts';

/** The length of a process's id. */
export const processIdLength = 8;

export interface Presence {
  /** The id of this process: {@link processIdLength} hex digits. */
  readonly id: string;
  /** Which of the processes are dead. One whose lock cannot be judged counts as alive. */
  findDead(ids: readonly string[]): Promise<string[]>;
  close(): void;
}

/** The advisory locks of processes: the first of their two numbers, which means nothing else. */
const lockClass = 0x70_6f_73_74;

/** A process on Postgres is dead when it has been missing for this long: a connection that was lost is opened again sooner. */
const missingMs = 3_000;

/** The statement with which a connection to Postgres says that the process is alive, as long as it is open. Shared: there may be several. */
export const aliveWhileOpen = (processId: string): string =>
  `select pg_advisory_lock_shared(${lockClass}, ${Number.parseInt(processId, 16) | 0})`;

/**
 * @param processId the one of {@link aliveWhileOpen}
 * @param clock monotonic milliseconds
 */
export function openPresence(
  database: Database,
  location: DatabaseLocation,
  {
    processId,
    randomBytes,
    clock = () => performance.now(),
  }: { readonly processId: string; readonly randomBytes: RandomBytes; readonly clock?: () => number },
): Presence {
  if (location.kind === 'postgres') return postgresPresence(database, processId, clock);
  // Nothing of another process is in the memory of this one.
  if (location.file === ':memory:') return { ...alone, id: processId };
  const { id, findDead, close } = openFilePresence(location.file, () => newProcessId(randomBytes));
  return { id, findDead: async (ids) => findDead(ids), close };
}

const alone: Omit<Presence, 'id'> = { findDead: async () => [], close: () => {} };

export const newProcessId = (randomBytes: RandomBytes): string => randomBytes(processIdLength / 2).toString('hex');

function postgresPresence(database: Database, id: string, clock: () => number): Presence {
  /** The processes that had no lock, with the time when that was first seen. */
  let missing = new Map<string, number>();
  return {
    id,
    async findDead(ids) {
      const { rows } = await sql<{ process: number }>`
        select objid::bigint as process from pg_locks
        where locktype = 'advisory' and classid = ${lockClass} and objsubid = 2 and granted
          and database = (select oid from pg_database where datname = current_database())`.execute(database);
      const alive = new Set(rows.map(({ process }) => process.toString(16).padStart(processIdLength, '0')));
      // Whose own lock is missing cannot judge others: the connections may all be lost.
      const absent = alive.has(id) ? ids.filter((each) => !alive.has(each)) : [];
      missing = new Map(absent.map((each) => [each, missing.get(each) ?? clock()]));
      return absent.filter((each) => clock() - (missing.get(each) ?? clock()) >= missingMs);
    },
    close: () => {},
  };
}
