import { CompiledQuery, type Dialect, Kysely } from 'kysely';
import type { SchemaSteps } from './compatibility.ts';
import { DatabaseFault, type OnFault } from './faults.ts';
import type { OnWait } from './lock-holders.ts';
import { migrate } from './migrate.ts';
import { migrations } from './migrations/index.ts';
import type { StoreObserver } from './observed.ts';
import type { PostgresPoolOptions } from './postgres.ts';
import { forMigrations, type PostgresSettings, postgresDefaults } from './postgres-settings.ts';
import type { Tables } from './schema.ts';
import { openSqlite } from './sqlite.ts';
import { sqliteDialect } from './sqlite-dialect.ts';
import { type SqliteThreadOptions, threadedSqliteDialect } from './sqlite-threads.ts';

export type Database = Kysely<Tables>;

export type DatabaseLocation =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly url: string; readonly settings?: PostgresSettings };

/** The message gives the reason, but not the address, which may hold a password. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
}

interface OpenOptions extends Pick<SqliteThreadOptions, 'startsBoth'> {
  readonly onFault?: OnFault;
  readonly observer?: StoreObserver | null;
  readonly onWait?: OnWait;
}

/** Runs pending migrations. @throws DatabaseUnavailable; SchemaTooNew; the driver's error when one fails */
export async function openDatabase(
  location: DatabaseLocation,
  steps: SchemaSteps = migrations,
  { onFault = () => undefined, observer = null, onWait, startsBoth = false }: OpenOptions = {},
): Promise<Database> {
  if (location.kind === 'sqlite')
    return migrated(await openUnmigrated(location, { onFault, startsBoth, ...observer }), steps, onWait);
  await migrateAlone(location, steps, onWait);
  return openUnmigrated(location, { onFault });
}

/** Runs pending migrations over a connection of their own. @throws as {@link openDatabase} */
export async function migrateAlone(location: DatabaseLocation, steps: SchemaSteps, onWait?: OnWait): Promise<void> {
  const migrating = await migrated(await connectForMigrations(location), steps, onWait);
  await migrating.destroy();
}

/** Opens the database as it is, for {@link migrate}. */
export async function connectForMigrations(location: DatabaseLocation): Promise<Database> {
  if (location.kind === 'sqlite') return openUnmigrated(location);
  const { settings = postgresDefaults } = location;
  return openUnmigrated({ ...location, settings: forMigrations(settings) });
}

interface ConnectOptions extends PostgresPoolOptions, SqliteThreadOptions, Partial<StoreObserver> {}

export const openUnmigrated = async (location: DatabaseLocation, options: ConnectOptions = {}): Promise<Database> =>
  new Kysely<Tables>({
    dialect: await dialectOf(location, options),
    log: options.onStatement,
  });

/** Runs pending migrations, and closes the database if that fails. */
async function migrated(database: Database, steps: SchemaSteps, onWait?: OnWait): Promise<Database> {
  try {
    await requireReachable(database);
    await migrate(database, steps, onWait);
    return database;
  } catch (error) {
    await database.destroy();
    throw error instanceof DatabaseFault ? new DatabaseUnavailable(reasonOf(error), { cause: error }) : error;
  }
}

/** @throws DatabaseUnavailable */
export async function requireReachable(database: Database): Promise<void> {
  await ping(database).catch((error: unknown) => {
    throw new DatabaseUnavailable(reasonOf(error), { cause: error });
  });
}

/** The error of a failed attempt at several addresses has a code but no message. */
function reasonOf(error: unknown): string {
  const cause = error instanceof DatabaseFault ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  return cause.message || ('code' in cause ? String(cause.code) : cause.name);
}

/** Rejects with the driver's error while the database cannot be reached. */
export async function ping(database: Database): Promise<void> {
  await database.executeQuery(CompiledQuery.raw('select 1'));
}

/** The driver of Postgres is loaded for Postgres only. */
async function dialectOf(location: DatabaseLocation, options: ConnectOptions): Promise<Dialect> {
  switch (location.kind) {
    case 'sqlite':
      return location.file === ':memory:'
        ? sqliteDialect(async () => openSqlite(location.file, options.onFault))
        : threadedSqliteDialect(location.file, options.onFault ?? (() => undefined), options);
    case 'postgres': {
      const { postgresDialect } = await import('./postgres.ts');
      return postgresDialect(location.url, location.settings ?? postgresDefaults, options);
    }
    default:
      return location satisfies never;
  }
}
