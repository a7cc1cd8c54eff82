/** Brings the schema of a database to the version of this gateway, unless a newer gateway has brought it further. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { findNeededStep, lastOf, recordingCompatibility, type SchemaSteps, SchemaTooNew } from './compatibility.ts';
import { buildIndexes } from './concurrent-indexes.ts';
import { isConflict } from './faults.ts';
import { findLockHolders, holdsTables, isPostgres, type OnWait } from './lock-holders.ts';
import { isLockTimeout } from './postgres-faults.ts';
import type { Tables } from './schema.ts';

/** What a database has of the schema. */
export interface SchemaState {
  /** The steps of this gateway that it lacks, in order. */
  readonly pending: readonly string[];
  /** The steps that it has and this gateway does not know, in order. */
  readonly unknown: readonly string[];
}

const table = 'kysely_migration';

/** Reads what a database has of the schema, and changes nothing. */
export async function readSchemaState(database: Kysely<Tables>, steps: SchemaSteps): Promise<SchemaState> {
  const tables = await database.introspection.getTables({ withInternalKyselyTables: true });
  const executed = tables.some(({ name }) => name === table)
    ? (await sql<{ name: string }>`select name from ${sql.table(table)} order by name`.execute(database)).rows
    : [];
  const names = new Set(executed.map(({ name }) => name));
  return {
    pending: Object.keys(steps)
      .sort()
      .filter((name) => !names.has(name)),
    unknown: [...names].filter((name) => !Object.hasOwn(steps, name)),
  };
}

/** How often to say whom the migration waits for, in milliseconds; and when first: gateways that start together wait for one another. */
const sayMs = 10_000;
const firstMs = 3_000;

/** How long others have before the next try, in milliseconds: processes that start together do not meet again. */
const pauseMs = () => 750 + 500 * Math.random();

/**
 * Runs the pending steps in one transaction behind a lock: processes that start together wait for one another, and a step
 * that fails leaves nothing behind. After a deadlock, or when it does not get a lock soon, it begins anew, for as long as
 * that takes. The indexes of the steps follow.
 * @returns the steps that it has run
 * @throws SchemaTooNew if the database has steps that this gateway does not know, and cannot work with; or the error of a step
 */
export async function migrate(
  database: Kysely<Tables>,
  steps: SchemaSteps,
  onWait: OnWait = () => undefined,
): Promise<readonly string[]> {
  let sayAt = performance.now() + firstMs;
  const say = async (condition: RawBuilder<boolean>) => {
    if (performance.now() < sayAt) return;
    sayAt = performance.now() + sayMs;
    onWait(isPostgres(database) ? await findLockHolders(database, condition) : []);
  };
  const untilFree = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!isConflict(error) && !isLockTimeout(error)) throw error;
      }
      await say(holdsTables);
      await sleep(pauseMs());
    }
  };
  const { ran, isNewest } = await untilFree(() => migrateOnce(database, steps));
  // What a newer gateway has dropped is not built again.
  if (isNewest) await untilFree(() => buildIndexes(database, steps, say));
  return ran;
}

interface Migrated {
  readonly ran: readonly string[];
  /** Whether no newer gateway has brought the schema further. */
  readonly isNewest: boolean;
}

async function migrateOnce(database: Kysely<Tables>, steps: SchemaSteps): Promise<Migrated> {
  const { unknown } = await readSchemaState(database, steps);
  await requireDeclared(database, steps, unknown);
  const { error, results = [] } = await runSteps(database, steps, unknown);
  if (error === undefined)
    return { ran: results.map(({ migrationName }) => migrationName), isNewest: unknown.length === 0 };
  // A newer gateway may have been faster, with steps that were not there before.
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

/** @param unknown steps that have been run, whose absence Kysely would refuse */
function runSteps(database: Kysely<Tables>, steps: SchemaSteps, unknown: readonly string[]) {
  const known = unknown.map((name) => [name, { up: async () => undefined }]);
  const migrations = { ...recordingCompatibility(steps), ...Object.fromEntries(known) };
  const provider = { getMigrations: async () => migrations };
  // Kysely would order what has been run by time, and refuse a database whose clock was once set back.
  return new Migrator({ db: database, provider, allowUnorderedMigrations: true }).migrateToLatest();
}
