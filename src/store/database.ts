/** The one database of the embedded backend: SQLite or Postgres behind Kysely, brought to the present schema. */
import { CompiledQuery, type Dialect, Kysely, PostgresDialect } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import pg from 'pg';
import { migrations } from './migrations/index.ts';
import type { Tables } from './schema.ts';
import { sqliteDialect } from './sqlite.ts';

export type Database = Kysely<Tables>;

/** Where the data is: a file of its own, or a server. */
export type DatabaseLocation =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly url: string };

/** The database cannot be reached, or is none. The message says why, and never the address: it may hold a password. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
}

/**
 * Opens the database and runs the migrations that it lacks. They run within one transaction behind a lock, so that
 * processes that start together wait for one another and a failed step leaves nothing behind.
 * @throws DatabaseUnavailable when the database cannot be reached, or the driver's error when a migration fails
 */
export async function openDatabase(
  location: DatabaseLocation,
  steps: Readonly<Record<string, Migration>> = migrations,
): Promise<Database> {
  const database: Database = new Kysely<Tables>({ dialect: dialectOf(location) });
  try {
    await ping(database).catch((cause: NodeJS.ErrnoException) => {
      // An attempt to connect to several addresses of a host has a code, but no message.
      throw new DatabaseUnavailable(cause.message || cause.code || cause.name, { cause });
    });
    const migrator = new Migrator({ db: database, provider: { getMigrations: async () => ({ ...steps }) } });
    const { error } = await migrator.migrateToLatest();
    if (error !== undefined) throw error;
    return database;
  } catch (error) {
    await database.destroy();
    throw error;
  }
}

/** Whether the database answers. */
export async function ping(database: Database): Promise<void> {
  await database.executeQuery(CompiledQuery.raw('select 1'));
}

function dialectOf(location: DatabaseLocation): Dialect {
  switch (location.kind) {
    case 'sqlite':
      return sqliteDialect(location.file);
    case 'postgres':
      return new PostgresDialect({ pool: postgresPool(location.url) });
    default:
      return location satisfies never;
  }
}

/** How long a query waits for a connection before it fails: a server that does not answer must not hold callers. */
const connectMs = 5_000;

function postgresPool(url: string): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    connectionTimeoutMillis: connectMs,
    types: { getTypeParser },
  });
  // A connection that breaks is out of the pool by then, and the query that had it fails; the next one makes another, or
  // says why it cannot. Both say it: a connection may break twice, first in words and then in deed, and the pool listens
  // to it only once, and not at all while it is in use. An event without a listener would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** Our bigints are epoch milliseconds, well within a double; the driver's default is to hand them out as text. */
const int8 = 20;
const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  oid === int8 ? Number : pg.types.getTypeParser(oid, format as 'text');
