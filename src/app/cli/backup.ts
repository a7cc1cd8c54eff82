import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { describeCopy, writeBackup } from './backup-folder.ts';
import { readOptions, runProgram } from './command.ts';
import { UsageError } from './report-error.ts';

const usage = `Backs up the database of a gateway on SQLite, and its file "secret", while gateways use them.

Usage:
  npx postern backup <folder>

The folder must not exist. It appears when it is complete and was checked. "npx postern restore" makes a gateway of it.
On Postgres use its own tools, such as pg_dump.
`;

/** A second kind of backup beside a server's own would be looked after by nobody. */
const postgresAdvice =
  'Nothing was backed up: DATABASE_URL names a Postgres server, which has tools of its own. ' +
  'Run pg_dump --format=custom --file=postern.dump "$DATABASE_URL", and keep SECRET, which is not in the database.';

await runProgram(usage, process.argv.slice(2), (args) => {
  const [folder] = readOptions(args, [], 1).positionals;
  if (folder === undefined) throw new UsageError('backup needs a folder to create: npx postern backup <folder>.');
  return async ({ database, ...config }) => {
    if (database.kind === 'postgres') throw new UsageError(postgresAdvice);
    if (!existsSync(database.file)) throw new UsageError(`DATABASE_URL names ${database.file}, which does not exist.`);
    return `Backed up to ${resolve(folder)}: ${describeCopy(await writeBackup(database.file, folder, config))}`;
  };
});
