import { describeCopy, restoreBackup } from './backup-folder.ts';
import { readOptions, runProgram } from './command.ts';
import { UsageError } from './report-error.ts';

const usage = `Restores a backup of "npx postern backup" to the file that DATABASE_URL names.

Usage:
  npx postern restore <folder>

The file must not exist: nothing is overwritten. The backup is checked first, and stays as it is.
`;

const restoreAdvice =
  'Nothing was restored: DATABASE_URL names a Postgres server, which has tools of its own. ' +
  'Run pg_restore --no-owner --exit-on-error --dbname="$DATABASE_URL" postern.dump on an empty database.';

await runProgram(usage, process.argv.slice(2), (args) => {
  const [folder] = readOptions(args, [], 1).positionals;
  if (folder === undefined) throw new UsageError('restore needs the folder of a backup: npx postern restore <folder>.');
  return async ({ database, ...config }) => {
    if (database.kind === 'postgres') throw new UsageError(restoreAdvice);
    return `Restored to ${database.file}: ${describeCopy(await restoreBackup(folder, database.file, config))}`;
  };
});
