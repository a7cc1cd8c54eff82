/** The gateway's database: SQLite or Postgres behind Kysely, migrated to the current schema. */
import { CompiledQuery, type Dialect, Kysely, PostgresDialect } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import pg from 'pg';
import { migrations } from './migrations/index.ts';
import type { Tables } from './schema.ts';
import { sqliteDialect } from './sqlite.ts';

export type Database = Kysely<Tables>;

/** Where the data is stored: in a SQLite file, or on a Postgres server. */
export type DatabaseLocation =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly url: string };

/** The database cannot be reached or read. The message gives the reason but not the address, which may hold a password. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
}

/**
 * Opens the database and runs its pending migrations. They run in one transaction behind a lock: processes that start
 * together wait for one another, and a migration that fails leaves nothing behind.
 * @throws DatabaseUnavailable when the database cannot be reached; the driver's error when a migration fails
 */
export async function openDatabase(
  location: DatabaseLocation,
  steps: Readonly<Record<string, Migration>> = migrations,
): Promise<Database> {
  const database: Database = new Kysely<Tables>({ dialect: dialectOf(location) });
  try {
    await ping(database).catch((cause: NodeJS.ErrnoException) => {
      // The error of a failed attempt at several addresses of a host has a code but no message.
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

/** Runs an empty query. Rejects with the driver's error while the database cannot be reached. */
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

/** How long a query waits for a connection before it fails, so that an unreachable server does not block callers. */
const connectMs = 5_000;

function postgresPool(url: string): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    connectionTimeoutMillis: connectMs,
    types: { getTypeParser },
  });
  // pg emits 'error' on both the pool and the client when a connection breaks, possibly twice for one connection, and an
  // event without a listener would end the process. There is nothing to do: the pool has already dropped the connection,
  // its query fails, and the next query opens a new connection or reports why it cannot.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** The schema's bigints are epoch milliseconds, which a double holds exactly. By default the driver returns them as text. */
const int8 = 20;
const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  oid === int8 ? Number : pg.types.getTypeParser(oid, format as 'text');
