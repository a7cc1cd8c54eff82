/** The command that migrates the database, or says what a migration would do. */
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { lastOf } from '../../store/compatibility.ts';
import { connectForMigrations, type Database, type DatabaseLocation, requireReachable } from '../../store/database.ts';
import { describeWait } from '../../store/lock-holders.ts';
import { migrate, readSchemaState, type SchemaState } from '../../store/migrate.ts';
import { migrations } from '../../store/migrations/index.ts';
import { runProgram, table } from './command.ts';

const usage = `Migrates the database to the schema of this version, as every start of the gateway does.

Usage:
  npm run migrate
  npm run migrate -- --check

--check  changes nothing: it prints the steps that are pending, with the oldest gateways that can work on the schema after
         each of them, by the last step that these know. The exit code is 1 if there are any.
`;

const nothingPending = `Nothing is pending: the database has the schema of this version, ${lastOf(migrations)}.`;

await runProgram(usage, process.argv.slice(2), (args) => {
  const { values } = parseArgs({ args, options: { check: { type: 'boolean' } } });
  return ({ database: location }, note) => (values.check ? check(location) : run(location, note));
});

async function run(location: DatabaseLocation, note: (text: string) => void): Promise<string> {
  const steps = await using(location, (database) =>
    migrate(database, migrations, (holders) => note(describeWait(holders))),
  );
  return steps.length === 0 ? nothingPending : `Migrated the database:\n${steps.map((name) => `  ${name}`).join('\n')}`;
}

async function check(location: DatabaseLocation): Promise<string> {
  const { pending, unknown } = await readState(location);
  const newer = unknown.map((name) => `The database has ${name}, which this version does not know.\n`).join('');
  if (pending.length === 0) return newer + nothingPending;
  process.exitCode = 1;
  const rows = pending.map((name) => [name, migrations[name]?.worksFrom ?? name]);
  return newer + table(['PENDING', 'WORKS WITH GATEWAYS FROM'], rows);
}

async function readState(location: DatabaseLocation): Promise<SchemaState> {
  // To open a file would create it.
  if (location.kind === 'sqlite' && !existsSync(location.file)) {
    return { pending: Object.keys(migrations).sort(), unknown: [] };
  }
  return using(location, (database) => readSchemaState(database, migrations));
}

async function using<Result>(
  location: DatabaseLocation,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const database = connectForMigrations(location);
  try {
    await requireReachable(database);
    return await work(database);
  } finally {
    await database.destroy();
  }
}
