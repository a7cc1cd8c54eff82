/**
 * kill -9 at random moments under load, and what became of every acknowledged event:
 *
 *   node test/bench/delivery-crash.ts [kills, 100 unless said otherwise] [SQLite or Postgres alone] [loop]
 *   TEST_POSTGRES_URL=… adds Postgres, with two processes of which one at a time is killed
 *
 * `loop` is a process that crashes again and again as in production: with the usual lease, some seconds after each start,
 * and with a few hundred events a second. It says how late events arrive, where otherwise the kills are as many as possible.
 */
import { crashRun } from '../support/crash.ts';
import { databases } from '../support/databases.ts';

const kills = Number(process.argv[2] ?? 100);
const only = process.argv[3];
const loop = process.argv[4] === 'loop' ? ({ everyMs: [1_000, 6_000], leaseMs: 45_000, pauseMs: 20 } as const) : {};
/** No event of a loop of crashes may arrive later. */
const latestMs = 20_000;

for (const dialect of databases.filter(({ name }) => only === undefined || name === only)) {
  const workers = dialect.name === 'Postgres' ? 2 : 1;
  const started = performance.now();
  const report = await crashRun(dialect, { kills, workers, random: Math.random, ...loop });
  const seconds = Math.round((performance.now() - started) / 1_000);
  process.stdout.write(`${dialect.name}, ${workers} at once, ${seconds} s: ${JSON.stringify(report)}\n`);
  const isLate = 'leaseMs' in loop && report.lateness.max > latestMs;
  if (report.lost > 0 || report.duplicates > report.inFlight || isLate) process.exitCode = 1;
}
