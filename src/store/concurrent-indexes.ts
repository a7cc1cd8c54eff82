/** Indexes of tables that may be large, which are built after the steps of the schema: on Postgres while others write. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { SchemaSteps } from './compatibility.ts';
import { blocks, isPostgres } from './lock-holders.ts';
import type { Tables } from './schema.ts';

/** Gateways of before wait for the lock of the steps, with a snapshot that the building of an index would wait for. */
const indexLock = 3853314791062309108n;

/** How often to look who a statement waits for, in milliseconds. */
const lookMs = 1_000;

/** What the steps want: the definition of each index, or null if it shall be gone. A later step has the last word. */
const wantedBy = (steps: SchemaSteps): readonly (readonly [name: string, definition: string | null])[] =>
  Object.entries<string | null>(
    Object.assign(
      {},
      ...Object.keys(steps)
        .sort()
        .map((name) => steps[name]?.indexes),
    ),
  );

/**
 * Builds the indexes of the steps that are missing or were left half-built, and drops those that none wants any more.
 * @param say looks who blocks the session, and says it
 */
export async function buildIndexes(
  database: Kysely<Tables>,
  steps: SchemaSteps,
  say: (condition: ReturnType<typeof blocks>) => Promise<void>,
): Promise<void> {
  const wanted = wantedBy(steps);
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
      // What waits here stands in nobody's way.
      await sql`set lock_timeout = 0`.execute(connection);
      for (const [name, definition] of wanted) {
        if (isValid.get(name) === (definition === null ? undefined : true)) continue;
        const statements = [`drop index concurrently if exists ${name}`];
        if (definition !== null) statements.push(`create index concurrently ${name} ${definition}`);
        for (const statement of statements) {
          await watched(sql.raw(statement).execute(connection), () => say(blocks(rows[0]?.pid ?? 0)));
        }
      }
    } finally {
      await sql`reset lock_timeout`.execute(connection);
      await sql`select pg_advisory_unlock(${sql.lit(indexLock)})`.execute(connection);
    }
  });
}

/** The indexes of the schema, and whether each is valid: one whose building was broken off is not. */
async function findIndexes(database: Kysely<Tables>): Promise<ReadonlyMap<string, boolean>> {
  const { rows } = await sql<{ name: string; isValid: boolean }>`
    select c.relname as name, i.indisvalid as "isValid" from pg_index i join pg_class c on c.oid = i.indexrelid
    where c.relnamespace = (select oid from pg_namespace where nspname = current_schema())`.execute(database);
  return new Map(rows.map(({ name, isValid }) => [name, isValid]));
}

/** Waits for a statement, and looks now and then. */
async function watched(statement: Promise<unknown>, look: () => Promise<void>): Promise<void> {
  const done = statement.then(() => true);
  while (!(await Promise.race([done, sleep(lookMs, false)]))) await look();
}
