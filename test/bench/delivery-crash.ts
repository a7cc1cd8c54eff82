/**
 * kill -9 at random moments under load, and what became of every acknowledged event:
 *
 *   node test/bench/delivery-crash.ts [--kills 100] [--loop] [sqlite | postgres]
 *   TEST_POSTGRES_URL=… adds Postgres, with two processes of which one at a time is killed, in turn
 *
 * `--loop` is a process that crashes again and again as in production: with the usual lease, some seconds after each start,
 * and with a few hundred events a second. It says how late events arrive, where otherwise the kills are as many as possible.
 * How far it has come it writes to its standard error.
 */
import { parseArgs } from 'node:util';
import { type CrashProgress, crashRun } from '../support/crash.ts';
import { databases } from '../support/databases.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { kills: { type: 'string', default: '100' }, loop: { type: 'boolean', default: false } },
});
const kills = Number(values.kills);
if (!Number.isInteger(kills) || kills < 1) throw new Error(`--kills takes a whole number from 1, not ${values.kills}`);
const [only] = positionals;
const chosen = databases.filter(({ name }) => only === undefined || name.toLowerCase() === only.toLowerCase());
if (chosen.length === 0) throw new Error(`No database "${only}": sqlite, or postgres with TEST_POSTGRES_URL`);
const loop = values.loop ? ({ everyMs: [1_000, 6_000], leaseMs: 45_000, pauseMs: 20 } as const) : {};
/** No event of a loop of crashes may arrive later. */
const latestMs = 20_000;

for (const dialect of chosen) {
  const workers = dialect.name === 'Postgres' ? 2 : 1;
  const started = performance.now();
  const seconds = () => Math.round((performance.now() - started) / 1_000);
  const progress = (soFar: CrashProgress) => {
    if (soFar.kills % 10 > 0 && soFar.kills < kills) return;
    const { acknowledged, arrived, duplicates } = soFar;
    process.stderr.write(
      `${dialect.name}: ${soFar.kills}/${kills} kills in ${seconds()} s, ` +
        `${acknowledged} events acknowledged, ${arrived - duplicates} delivered, ${duplicates} extra copies\n`,
    );
  };
  const report = await crashRun(dialect, { kills, workers, random: Math.random, progress, ...loop });
  const { acknowledged, arrived, lost, duplicates, inFlight, lateness } = report;
  process.stdout.write(
    `${dialect.name}, ${workers} at once, ${report.kills} kills in ${seconds()} s: ` +
      `${acknowledged} events acknowledged, ${lost} of them lost, ${arrived - duplicates} delivered; ` +
      `${(duplicates / report.kills).toFixed(2)} extra copies for each kill, ` +
      `${(inFlight / report.kills).toFixed(2)} claimed at each kill; ` +
      `acknowledgement to arrival p50 ${lateness.p50} ms, p99 ${lateness.p99} ms, latest ${lateness.max} ms\n`,
  );
  const isLate = values.loop && lateness.max > latestMs;
  if (lost > 0 || duplicates > inFlight || isLate) process.exitCode = 1;
}
