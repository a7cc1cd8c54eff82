/** Who a migration waits for on Postgres, for the log: no texts of statements, which may hold data. */
import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely';
import type { Tables } from './schema.ts';

/** A session of the database. */
export interface LockHolder {
  readonly pid: number;
  /** What its client calls itself. */
  readonly application: string;
  /** Such as `idle in transaction`; null if this role may not see it, as the next. */
  readonly state: string | null;
  /** When its transaction began, ISO 8601. */
  readonly since: string | null;
}

/** Is told who a migration waits for; nobody, if the lock was released since. */
export type OnWait = (holders: readonly LockHolder[]) => void;

export const isPostgres = (database: Kysely<Tables>): boolean =>
  database.getExecutor().adapter instanceof PostgresAdapter;

/** Both halves of an advisory lock's number, as `pg_locks` has them. */
const isAdvisory = (id: bigint) =>
  sql`l.locktype = 'advisory' and l.objsubid = 1
    and l.classid = ${sql.lit(Number(id >> 32n))} and l.objid = ${sql.lit(Number(id & 0xffff_ffffn))}`;

/** The lock that Kysely's migrators take turns by: gateways of before take it, too. */
export const migrationLock = 3853314791062309107n;

/** A session that has held a table for longer than the migration waited for it, or that migrates. */
export const holdsTables: RawBuilder<boolean> = sql`
  exists (select from pg_locks l where l.pid = a.pid and l.granted and (${isAdvisory(migrationLock)}
    or coalesce(a.xact_start < clock_timestamp() - interval '250 ms', true) and l.relation in (
      select oid from pg_class where relnamespace = (select oid from pg_namespace where nspname = current_schema()))))`;

/** @param pid a session that waits */
export const blocks = (pid: number): RawBuilder<boolean> => sql`a.pid = any(pg_blocking_pids(${sql.lit(pid)}))`;

/** The three whose transactions are oldest. */
export async function findLockHolders(database: Kysely<Tables>, condition: RawBuilder<boolean>): Promise<LockHolder[]> {
  const { rows } = await sql<LockHolder>`
    select a.pid, a.application_name as application, a.state,
      to_char(a.xact_start at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as since
    from pg_stat_activity a
    where a.datname = current_database() and a.pid <> pg_backend_pid() and ${condition}
    order by a.xact_start limit 3`.execute(database);
  return rows;
}

/** The same for a person at a terminal. */
export const describeWait = (holders: readonly LockHolder[]): string => {
  const sessions = holders.map(
    ({ pid, application, state, since }) =>
      `${pid} (${[application, state, since && `since ${since}`].filter(Boolean).join(', ')})`,
  );
  return `The migration waits for other sessions of the database: ${sessions.join(', ') || 'it tries again'}`;
};
