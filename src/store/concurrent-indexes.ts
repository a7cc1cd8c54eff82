/** Indexes of large tables, built after the steps of the schema: on Postgres while others write. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { namesOf, type SchemaSteps } from './compatibility.ts';
import { isPostgres } from './is-postgres.ts';
import { isBlocking } from './lock-holders.ts';
import type { Tables } from './schema.ts';

/** Not the steps' lock, on which gateways wait with a snapshot that `create index concurrently` would wait for. */
const indexLock = 3853314791062309108n;

/** Between two looks at who blocks a statement, in milliseconds. */
const blockerLookMs = 1_000;

/** The wanted definition of each index, null if it shall go. The last step decides. */
const wantedBy = (steps: SchemaSteps): readonly (readonly [name: string, definition: string | null])[] =>
  Object.entries<string | null>(Object.assign({}, ...namesOf(steps).map((name) => steps[name]?.indexes)));

/** Builds missing and half-built indexes, drops unwanted ones. `say` reports who blocks the session. */
export async function buildIndexes(
  database: Kysely<Tables>,
  steps: SchemaSteps,
  say: (condition: ReturnType<typeof isBlocking>) => Promise<void>,
): Promise<void> {
  const wanted = await findPendingIndexes(database, steps);
  if (wanted.length === 0) return;
  if (!isPostgres(database)) {
    for (const [name, definition] of wanted) {
      const statement =
        definition === null ? `drop index if exists ${name}` : `create index if not exists ${name} ${definition}`;
      await sql.raw(statement).execute(database);
    }
    return;
  }
  await database.connection().execute(async (connection) => {
    const { rows } = await sql<{ pid: number }>`
      select pg_backend_pid() as pid, pg_advisory_lock(${sql.lit(indexLock)})`.execute(connection);
    try {
      const isValid = await findIndexes(connection);
      // A waiting `create index concurrently` blocks nobody.
      await sql`set lock_timeout = 0`.execute(connection);
      for (const [name, definition] of wanted) {
        if (isValid.get(name) === (definition === null ? undefined : true)) continue;
        const statements = [`drop index concurrently if exists ${name}`];
        if (definition !== null) statements.push(`create index concurrently ${name} ${definition}`);
        for (const statement of statements) {
          await watched(sql.raw(statement).execute(connection), () => say(isBlocking(rows[0]?.pid ?? 0)));
        }
      }
    } finally {
      await sql`reset lock_timeout`.execute(connection);
      await sql`select pg_advisory_unlock(${sql.lit(indexLock)})`.execute(connection);
    }
  });
}

/** The indexes that are missing or half-built, with their definitions, and those that shall go, with null. */
export async function findPendingIndexes(
  database: Kysely<Tables>,
  steps: SchemaSteps,
): Promise<ReturnType<typeof wantedBy>> {
  const isValid = isPostgres(database) ? await findIndexes(database) : await findSqliteIndexes(database);
  return wantedBy(steps).filter(([name, definition]) => isValid.get(name) !== (definition === null ? undefined : true));
}

async function findSqliteIndexes(database: Kysely<Tables>): Promise<ReadonlyMap<string, boolean>> {
  const { rows } = await sql<{ name: string }>`select name from sqlite_schema where type = 'index'`.execute(database);
  return new Map(rows.map(({ name }) => [name, true]));
}

/** The indexes of the schema, and whether each is valid: an interrupted build leaves an invalid one. */
async function findIndexes(database: Kysely<Tables>): Promise<ReadonlyMap<string, boolean>> {
  const { rows } = await sql<{ name: string; isValid: boolean }>`
    select c.relname as name, i.indisvalid as "isValid" from pg_index i join pg_class c on c.oid = i.indexrelid
    where c.relnamespace = (select oid from pg_namespace where nspname = current_schema())`.execute(database);
  return new Map(rows.map(({ name, isValid }) => [name, isValid]));
}

async function watched(statement: Promise<unknown>, look: () => Promise<void>): Promise<void> {
  const done = statement.then(() => true);
  while (!(await Promise.race([done, sleep(blockerLookMs, false)]))) await look();
}
