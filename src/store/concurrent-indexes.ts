/** Indexes of large tables, built after the steps of the schema: on Postgres while others write. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { namesOf, type SchemaSteps, type UniqueIndex } from './compatibility.ts';
import { isPostgres } from './is-postgres.ts';
import type { Tables } from './schema.ts';

/** Not the steps' lock, on which gateways wait with a snapshot that `create index concurrently` would wait for. */
const indexLock = 3853314791062309108n;

/** Between two looks whether a statement still waits, in milliseconds. */
const lookMs = 1_000;

/** The wanted definition of each index, null if it shall go. The last step decides. */
const wantedBy = (steps: SchemaSteps): readonly (readonly [name: string, definition: string | null])[] =>
  Object.entries<string | null>(Object.assign({}, ...namesOf(steps).map((name) => steps[name]?.indexes)));

/** Builds missing and half-built indexes, drops unwanted ones. `say` reports that it takes long. */
export async function buildIndexes(database: Kysely<Tables>, steps: SchemaSteps, say: () => void): Promise<void> {
  const wanted = await findPendingIndexes(database, steps);
  if (wanted.length === 0) return;
  if (!isPostgres(database)) {
    for (const [name, definition] of wanted) {
      const unique = uniqueOf(steps, name);
      const create = `create ${unique === undefined ? '' : 'unique '}index if not exists ${name} ${definition}`;
      if (unique !== undefined) await deleteRepeated(database, unique);
      await sql.raw(definition === null ? `drop index if exists ${name}` : create).execute(database);
    }
    return;
  }
  await database.connection().execute(async (connection) => {
    await sql`select pg_advisory_lock(${sql.lit(indexLock)})`.execute(connection);
    try {
      const isValid = await findIndexes(connection);
      // A waiting `create index concurrently` blocks nobody.
      await sql`set lock_timeout = 0`.execute(connection);
      for (const [name, definition] of wanted) {
        if (isValid.get(name) === (definition === null ? undefined : true)) continue;
        const run = (statement: string) => watched(sql.raw(statement).execute(connection), say);
        const unique = uniqueOf(steps, name);
        await untilUnique(async () => {
          await run(`drop index concurrently if exists ${name}`);
          if (unique !== undefined) await deleteRepeated(connection, unique);
          const create = `create ${unique === undefined ? '' : 'unique '}index concurrently ${name} ${definition}`;
          if (definition !== null) await run(create);
        });
      }
    } finally {
      await sql`reset lock_timeout`.execute(connection);
      await sql`select pg_advisory_unlock(${sql.lit(indexLock)})`.execute(connection);
    }
  });
}

const uniqueOf = (steps: SchemaSteps, name: string): UniqueIndex | undefined =>
  namesOf(steps)
    .map((step) => steps[step]?.unique?.[name])
    .findLast((unique) => unique !== undefined);

/** Rows of one key that are deleted with one statement. */
const repeatedAtOnce = 1_000;

/** Others write meanwhile, and no lock is held but on the rows that go. */
async function deleteRepeated(database: Kysely<Tables>, { table, key, order }: UniqueIndex): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ id: string }>`
      select id from (
        select id, row_number() over (partition by ${sql.raw(key)} order by ${sql.raw(order)}) as place
        from ${sql.table(table)}
      ) as numbered where place > 1 limit ${sql.lit(repeatedAtOnce)}`.execute(database);
    if (rows.length === 0) return;
    const ids = sql.join(rows.map(({ id }) => id));
    await sql`delete from ${sql.table(table)} where id in (${ids})`.execute(database);
  }
}

/** Until the index has kept earlier gateways from it, they may write another row of a key. */
async function untilUnique(build: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await build();
    } catch (error) {
      if (!isNotUnique(error)) throw error;
    }
  }
}

/** unique_violation */
const isNotUnique = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '23505';

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

async function watched(statement: Promise<unknown>, say: () => void): Promise<void> {
  const done = statement.then(() => true);
  while (!(await Promise.race([done, sleep(lookMs, false)]))) say();
}
