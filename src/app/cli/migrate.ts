import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { lastOf, namesOf } from '../../store/compatibility.ts';
import {
  connectForMigrations,
  type Database,
  type DatabaseLocation,
  explained,
  requireReachable,
  requireSessions,
} from '../../store/database.ts';
import { migrate, readSchemaState, type SchemaState } from '../../store/migrate.ts';
import { migrations } from '../../store/migrations/index.ts';
import { noteWait, runProgram, table } from './command.ts';

const usage = `Migrates the database to the schema of this version, as every start of the gateway does.

Usage:
  npx postern migrate
  npx postern migrate --check

--check  changes nothing: it prints the steps that are pending, with the oldest gateways that can work on the schema after
         each of them, by the last step that these know, and of the indexes that steps declare to be built while others
         write, those that are missing or half-built. Indexes that a step created itself are not checked. The exit code
         is 1 if there is anything to do.
`;

const nothingPending = `Nothing is pending: the database has the schema of this version, ${lastOf(migrations)}.`;

await runProgram(usage, process.argv.slice(2), (args) => {
  const { values } = parseArgs({ args, options: { check: { type: 'boolean' } } });
  return ({ database: location }) => (values.check ? check(location) : run(location));
});

async function run(location: DatabaseLocation): Promise<string> {
  const steps = await using(location, (database) => migrate(database, migrations, noteWait));
  return steps.length === 0 ? nothingPending : `Migrated the database:\n${steps.map((name) => `  ${name}`).join('\n')}`;
}

async function check(location: DatabaseLocation): Promise<string> {
  const { pending, unknown, indexes } = await readState(location);
  const newer = unknown.map((name) => `The database has ${name}, which this version does not know.\n`).join('');
  if (pending.length + indexes.length === 0) return newer + nothingPending;
  process.exitCode = 1;
  const rows = pending.map((name) => [name, migrations[name]?.worksFrom ?? name]);
  const steps = rows.length === 0 ? [] : [table(['PENDING', 'WORKS WITH GATEWAYS FROM'], rows)];
  return newer + [...steps, ...indexes.map((name) => `The index ${name} is to be built or dropped.`)].join('\n');
}

async function readState(location: DatabaseLocation): Promise<SchemaState> {
  // Opening would create the file.
  if (location.kind === 'sqlite' && !existsSync(location.file)) {
    return { pending: namesOf(migrations), unknown: [], indexes: [] };
  }
  return using(location, (database) => readSchemaState(database, migrations));
}

async function using<Result>(
  location: DatabaseLocation,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const database = await connectForMigrations(location);
  try {
    await requireReachable(database, location);
    await requireSessions(database);
    return await work(database);
  } catch (error) {
    throw explained(error);
  } finally {
    await database.destroy();
  }
}
