/**
 * kill -9 at random moments under load, and what became of every acknowledged event:
 *
 *   node test/bench/delivery-crash.ts [kills, 100 unless said otherwise] [SQLite or Postgres alone]
 *   TEST_POSTGRES_URL=… adds Postgres, with two processes of which one at a time is killed
 */
import { crashRun } from '../support/crash.ts';
import { databases } from '../support/databases.ts';

const kills = Number(process.argv[2] ?? 100);
const only = process.argv[3];
for (const dialect of databases.filter(({ name }) => only === undefined || name === only)) {
  const workers = dialect.name === 'Postgres' ? 2 : 1;
  const report = await crashRun(dialect, { kills, workers, random: Math.random });
  process.stdout.write(`${dialect.name}, ${workers} at once: ${JSON.stringify(report)}\n`);
  if (report.lost > 0 || report.duplicates > report.inFlight) process.exitCode = 1;
}
