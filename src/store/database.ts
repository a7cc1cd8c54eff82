import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CompiledQuery, type Dialect, Kysely, sql } from 'kysely';
import { ConfigError } from '../kernel/config-error.ts';
import { messageOf } from '../kernel/lib/to-error.ts';
import type { SchemaSteps } from './compatibility.ts';
import { DatabaseFault, type OnFault } from './faults.ts';
import { isPostgres } from './is-postgres.ts';
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
  | {
      readonly kind: 'postgres';
      readonly url: string;
      /** The server itself, where `url` leads to a pooler that shares sessions. */
      readonly directUrl?: string | undefined;
      readonly settings?: PostgresSettings;
    };

/** For what needs a session of its own: migrations, locks, notifications and the delivery queue. */
export const directly = <Location extends DatabaseLocation>(location: Location): Location =>
  location.kind === 'postgres' && location.directUrl !== undefined
    ? { ...location, url: location.directUrl, directUrl: undefined }
    : location;

/** The message gives the reason, but not the address, which may hold a password. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
  /** A sentence with the cause and what to do. */
  readonly sentence: string;

  constructor(location: DatabaseLocation, cause: unknown) {
    const reason = reasonOf(cause);
    super(reason, { cause });
    this.sentence =
      location.kind === 'sqlite'
        ? unopenedSentence(location.file, reason)
        : `DATABASE_URL names a database that cannot be opened (${reason}): start it, or correct the address, user, password or database in the variable.`;
  }
}

/** Told why a server cannot be reached, and the seconds for which the start still tries. */
export type OnUnreachable = (reason: string, secondsLeft: number) => void;

interface OpenOptions extends Pick<SqliteThreadOptions, 'startsBoth'> {
  readonly onFault?: OnFault;
  readonly observer?: StoreObserver | null;
  readonly onWait?: () => void;
}

/** Runs pending migrations. @throws DatabaseUnavailable; SchemaTooNew; the driver's error when one fails */
export async function openDatabase(
  location: DatabaseLocation,
  steps: SchemaSteps = migrations,
  { onFault = () => undefined, observer = null, onWait, startsBoth = false }: OpenOptions = {},
): Promise<Database> {
  if (location.kind === 'sqlite')
    return migrated(location, await openUnmigrated(location, { onFault, startsBoth, ...observer }), steps, onWait);
  await migrateAlone(location, steps, onWait);
  return openUnmigrated(directly(location), { onFault });
}

/** Runs pending migrations over a connection of their own. @param onUnreachable of a start, which waits for Postgres. @throws as {@link openDatabase} */
export async function migrateAlone(
  location: DatabaseLocation,
  steps: SchemaSteps,
  onWait?: () => void,
  onUnreachable?: OnUnreachable,
): Promise<void> {
  if (onUnreachable !== undefined) await waitForServer(location, onUnreachable);
  const migrating = await migrated(location, await connectForMigrations(location), steps, onWait);
  await migrating.destroy();
}

const betweenTriesMs = 1_000;
/** Between two words on the same wait. */
const sayMs = 10_000;

/** SQLSTATEs, or classes of them, of addresses, users and passwords that are wrong, and codes of certificates' files. */
const mistakes: readonly string[] = ['28', '3D000', 'ENOENT', 'EACCES'];

/** Machines start their servers in any order. @throws DatabaseUnavailable after the time of the settings */
async function waitForServer(location: DatabaseLocation, onUnreachable: OnUnreachable): Promise<void> {
  if (location.kind === 'sqlite') return;
  const { startWaitSeconds } = location.settings ?? postgresDefaults;
  const until = performance.now() + startWaitSeconds * 1_000;
  let sayAt = 0;
  for (;;) {
    const database = await connectForMigrations(location);
    try {
      return await requireReachable(database, location);
    } catch (error) {
      const now = performance.now();
      if (now + betweenTriesMs > until || isMistake(error)) throw error;
      if (now >= sayAt) {
        onUnreachable(messageOf(error), Math.round((until - now) / 1_000));
        sayAt = now + sayMs;
      }
    } finally {
      await database.destroy();
    }
    await sleep(betweenTriesMs);
  }
}

function isMistake(error: unknown): boolean {
  const { cause } = error instanceof Error && error.cause instanceof DatabaseFault ? error.cause : { cause: null };
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return mistakes.some((start) => code.startsWith(start));
}

/** Opens the database as it is, for {@link migrate}. */
export async function connectForMigrations(location: DatabaseLocation): Promise<Database> {
  const direct = directly(location);
  if (direct.kind === 'sqlite') return openUnmigrated(direct);
  return openUnmigrated({ ...direct, settings: forMigrations(direct.settings ?? postgresDefaults) });
}

interface ConnectOptions extends PostgresPoolOptions, SqliteThreadOptions, Partial<StoreObserver> {}

export const openUnmigrated = async (location: DatabaseLocation, options: ConnectOptions = {}): Promise<Database> =>
  new Kysely<Tables>({
    dialect: await dialectOf(location, options),
    log: options.onStatement,
  });

/** Runs pending migrations, and closes the database if that fails. */
async function migrated(
  location: DatabaseLocation,
  database: Database,
  steps: SchemaSteps,
  onWait?: () => void,
): Promise<Database> {
  try {
    await requireReachable(database, location);
    await requireSessions(database);
    await migrate(database, steps, onWait);
    return database;
  } catch (error) {
    await database.destroy();
    if (error instanceof DatabaseFault) throw new DatabaseUnavailable(location, error);
    throw explained(error);
  }
}

/** SQLSTATEs: insufficient privilege, and no schema to create in, as a role sees one that it may not use. */
const refusals: ReadonlySet<unknown> = new Set(['42501', '3F000']);
const lacksRights = (error: unknown) => error instanceof Error && 'code' in error && refusals.has(error.code);

/** A refusal of rights with its remedy; any other error as it is. */
export const explained = (error: unknown): unknown =>
  lacksRights(error) ? new ConfigError(rightsAdvice(messageOf(error)), { cause: error }) : error;

const rightsAdvice = (reason: string) =>
  `The role of DATABASE_URL may not create the tables of the gateway (${reason}): let it own the database (alter database <database> owner to <role>), or run "grant usage, create on schema public to <role>" as the owner; tables of another role become its own with "reassign owned by <other> to <role>".`;

/** @throws DatabaseUnavailable */
export async function requireReachable(database: Database, location: DatabaseLocation): Promise<void> {
  await ping(database).catch((error: unknown) => {
    throw new DatabaseUnavailable(location, error);
  });
}

/** Looks of one connection for a setting of another. A pooler gives the session that was left last, or each in turn. */
const sessionLooks = 5;

/**
 * Refuses a pooler that gives each transaction another session. Such a session has the settings, locks and prepared
 * statements of others. @throws ConfigError
 */
export async function requireSessions(database: Database): Promise<void> {
  if (!isPostgres(database)) return;
  const mark = crypto.randomUUID();
  await database.connection().execute(async (connection) => {
    await sql`select set_config('postern.session', ${mark}, false)`.execute(connection);
    for (let look = 0; look < sessionLooks; look += 1) {
      const { rows } = await sql<{ mark: string | null }>`
        select current_setting('postern.session', true) as mark`.execute(database);
      if (rows[0]?.mark !== mark) continue;
      throw new ConfigError(
        'DATABASE_URL leads to a pooler that gives each transaction another session: set DATABASE_DIRECT_URL to the address of the Postgres server itself, too',
      );
    }
  });
}

/**
 * Events of one database would never be delivered from another: nothing else shows it. With the schema, as a pooler may ignore
 * `options`. @throws ConfigError
 */
export async function requireSamePlace(pooled: Database, direct: Database): Promise<void> {
  const placeOf = async (database: Database) => {
    const { rows } = await sql`
      select current_database() as name, current_schema() as schema,
        extract(epoch from pg_postmaster_start_time())::text as "startedAt"`.execute(database);
    return JSON.stringify(rows);
  };
  if ((await placeOf(pooled)) === (await placeOf(direct))) return;
  throw new ConfigError(
    'DATABASE_URL and DATABASE_DIRECT_URL lead to different databases, schemas or servers: set both to one database of one server',
  );
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
      return postgresDialect(location.url, location.settings ?? postgresDefaults, {
        ...options,
        sharesSessions: location.directUrl !== undefined,
      });
    }
    default:
      return location satisfies never;
  }
}

/** Why a SQLite file could not be opened, and what to do, found by looks that open nothing. @param reason of SQLite or the system, where none is found */
function unopenedSentence(given: string, reason: string): string {
  const file = resolve(given);
  const another = 'or set DATABASE_URL to another path';
  const user = `the user ${process.getuid?.() ?? 'of the gateway'}`;
  const found = existsSync(file) ? statSync(file) : null;
  if (found?.isDirectory())
    return `${file} is a folder: set DATABASE_URL to a file, such as sqlite:${file}/postern.db.`;
  if (found !== null && !found.isFile()) return `${file} is not a file: set DATABASE_URL to another path.`;
  const folder = existingFolder(dirname(file));
  if (!statSync(folder).isDirectory()) return `${folder} is a file, not a folder: set DATABASE_URL to another path.`;
  if (found !== null && !allows(file, constants.R_OK | constants.W_OK)) {
    return `${file} belongs to the user ${found.uid}, and ${user} may not read and write it: run the gateway as its owner, change the owner (chown), ${another}.`;
  }
  // Also beside an existing file: SQLite writes its log there.
  if (!allows(folder, constants.W_OK | constants.X_OK)) {
    return `The folder ${folder} cannot be written to by ${user}: give the user write access, ${another}.`;
  }
  if (/not a database/.test(reason)) {
    return `${file} is not a SQLite database: set DATABASE_URL to another path, or restore a backup with "npx postern restore".`;
  }
  return `${file} cannot be opened (${reason}): correct that, ${another}.`;
}

const existingFolder = (path: string): string =>
  existsSync(path) || dirname(path) === path ? path : existingFolder(dirname(path));

function allows(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}
