import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { ConfigError } from '../kernel/config-error.ts';
import {
  findNeededStep,
  lastOf,
  lastOfBaseline,
  namesOf,
  recordingCompatibility,
  type SchemaSteps,
  SchemaTooNew,
} from './compatibility.ts';
import { buildIndexes, findPendingIndexes } from './concurrent-indexes.ts';
import { DatabaseFault } from './faults.ts';
import { isPostgres } from './is-postgres.ts';
import type { Tables } from './schema.ts';
import { isConflict } from './transaction.ts';

export interface SchemaState {
  /** Steps of this gateway that the database lacks, in order. */
  readonly pending: readonly string[];
  /** Steps of the database that this gateway does not know, in order. */
  readonly unknown: readonly string[];
  /** Indexes of the steps that it has, which a start builds or drops. */
  readonly indexes: readonly string[];
}

const migrationTable = 'kysely_migration';

/** @throws ConfigError if the database is older than the baseline */
export async function readSchemaState(database: Kysely<Tables>, steps: SchemaSteps): Promise<SchemaState> {
  const isMigrated = isPostgres(database)
    ? sql`select 1 where to_regclass(${migrationTable}) is not null`
    : sql`select 1 from sqlite_schema where type = 'table' and name = ${migrationTable}`;
  const executed =
    (await isMigrated.execute(database)).rows.length > 0
      ? (await sql<{ name: string }>`select name from ${sql.table(migrationTable)} order by name`.execute(database))
          .rows
      : [];
  const names = new Set(executed.map(({ name }) => name));
  if (names.size > 0 && !names.has(lastOfBaseline))
    throw new ConfigError(
      'DATABASE_URL names a database of a version before 0.3.0: start version 0.3.0 with it once, and then this version',
    );
  const done = Object.fromEntries(Object.entries(steps).filter(([name]) => names.has(name)));
  return {
    indexes: (await findPendingIndexes(database, done)).map(([name]) => name),
    pending: namesOf(steps).filter((name) => !names.has(name)),
    unknown: [...names].filter((name) => !Object.hasOwn(steps, name)),
  };
}

/** Between two reports of a wait, in milliseconds; no earlier, as gateways that start together wait for one another. */
const sayMs = 10_000;
const firstMs = 3_000;

/** Jitter, so that processes that start together do not meet again, in milliseconds. */
const retryPauseMs = () => 750 + 500 * Math.random();

/**
 * Runs the pending steps in one transaction behind a lock, then builds indexes; anew after a deadlock or lock timeout.
 * @throws SchemaTooNew; ConfigError; the error of a step, which leaves nothing behind
 */
export async function migrate(
  database: Kysely<Tables>,
  steps: SchemaSteps,
  onWait: () => void = () => undefined,
): Promise<readonly string[]> {
  let sayAt = performance.now() + firstMs;
  const say = () => {
    if (performance.now() < sayAt) return;
    sayAt = performance.now() + sayMs;
    onWait();
  };
  const untilFree = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!isConflict(error) && !isLockTimeout(error)) throw error;
      }
      say();
      await sleep(retryPauseMs());
    }
  };
  const { ran, isNewest } = await untilFree(() => migrateOnce(database, steps));
  // What a newer gateway dropped stays dropped.
  if (isNewest) await untilFree(() => buildIndexes(database, steps, say));
  return ran;
}

const isLockTimeout = (error: unknown): boolean =>
  error instanceof DatabaseFault &&
  error.cause instanceof Error &&
  'code' in error.cause &&
  error.cause.code === '55P03';

interface Migrated {
  readonly ran: readonly string[];
  /** Whether no newer gateway has brought the schema further. */
  readonly isNewest: boolean;
}

async function migrateOnce(database: Kysely<Tables>, steps: SchemaSteps): Promise<Migrated> {
  const { pending, unknown } = await readSchemaState(database, steps);
  await requireDeclared(database, steps, unknown);
  // As in most starts: the migrator would ask, lock and ask again.
  if (pending.length === 0) return { ran: [], isNewest: unknown.length === 0 };
  const { error, results = [] } = await runSteps(database, steps, unknown);
  if (error === undefined)
    return { ran: results.map(({ migrationName }) => migrationName), isNewest: unknown.length === 0 };
  // A newer gateway may have been faster.
  const later = await readSchemaState(database, steps);
  if (later.unknown.length === unknown.length) throw error;
  return migrateOnce(database, steps);
}

async function requireDeclared(
  database: Kysely<Tables>,
  steps: SchemaSteps,
  unknown: readonly string[],
): Promise<void> {
  const newest = unknown.at(-1);
  if (newest === undefined) return;
  const needed = (await findNeededStep(database)) ?? newest;
  if (needed > lastOf(steps)) throw new SchemaTooNew(lastOf(steps), needed);
}

/** @param unknown executed steps, whose absence Kysely would refuse */
function runSteps(database: Kysely<Tables>, steps: SchemaSteps, unknown: readonly string[]) {
  const known = unknown.map((name) => [name, { up: async () => undefined }]);
  const migrations = { ...recordingCompatibility(steps), ...Object.fromEntries(known) };
  const provider = { getMigrations: async () => migrations };
  // Kysely would order executed steps by time, and refuse a database whose clock was once set back.
  return new Migrator({ db: database, provider, allowUnorderedMigrations: true }).migrateToLatest();
}
