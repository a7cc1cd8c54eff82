/** Sessions that a migration on Postgres waits for, for the log: without statement texts, which may hold data. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { DatabaseFault } from './faults.ts';
import type { Tables } from './schema.ts';

export interface LockHolder {
  readonly pid: number;
  /** As its client names itself. */
  readonly application: string;
  /** Such as `idle in transaction`; null, as `since`, if this role may not see it. */
  readonly state: string | null;
  /** Start of its transaction, ISO 8601. */
  readonly since: string | null;
}

/** Called with an empty list if the lock was released meanwhile. */
export type OnWait = (holders: readonly LockHolder[]) => void;

export const isLockTimeout = (error: unknown): boolean =>
  error instanceof DatabaseFault &&
  error.cause instanceof Error &&
  'code' in error.cause &&
  error.cause.code === '55P03';

/** Both halves of an advisory lock's number, as in `pg_locks`. */
const isAdvisory = (id: bigint) =>
  sql`l.locktype = 'advisory' and l.objsubid = 1
    and l.classid = ${sql.lit(Number(id >> 32n))} and l.objid = ${sql.lit(Number(id & 0xffff_ffffn))}`;

/** Number of the migration lock in Kysely, which older gateways take. */
export const migrationLock = 3853314791062309107n;

/** A session that migrates, or has held a table for longer than the migration waited. */
export const holdsTables: RawBuilder<boolean> = sql`
  exists (select from pg_locks l where l.pid = a.pid and l.granted and (${isAdvisory(migrationLock)}
    or coalesce(a.xact_start < clock_timestamp() - interval '250 ms', true) and l.relation in (
      select oid from pg_class where relnamespace = (select oid from pg_namespace where nspname = current_schema()))))`;

/** @param pid a session that waits */
export const isBlocking = (pid: number): RawBuilder<boolean> => sql`a.pid = any(pg_blocking_pids(${sql.lit(pid)}))`;

/** The three with the oldest transactions. */
export async function findLockHolders(database: Kysely<Tables>, condition: RawBuilder<boolean>): Promise<LockHolder[]> {
  const { rows } = await sql<LockHolder>`
    select a.pid, a.application_name as application, a.state,
      to_char(a.xact_start at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as since
    from pg_stat_activity a
    where a.datname = current_database() and a.pid <> pg_backend_pid() and ${condition}
    order by a.xact_start limit 3`.execute(database);
  return rows;
}

/** For a terminal. */
export const describeWait = (holders: readonly LockHolder[]): string => {
  const sessions = holders.map(
    ({ pid, application, state, since }) =>
      `${pid} (${[application, state, since && `since ${since}`].filter(Boolean).join(', ')})`,
  );
  return `The migration waits for other sessions of the database: ${sessions.join(', ') || 'it tries again'}`;
};
