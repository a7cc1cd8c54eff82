/**
 * Simulates seeds until one of them fails: `npm run test:simulation -- --seeds 100000 --from 1`. To see what happened in one:
 * `npm run test:simulation -- --from 42 --seeds 1 --trace`. With `--bug` the engine has one of the bugs of `test/mutants/mutants.txt`.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { simulateSeeds } from './seeds.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    jobs: { type: 'string', default: String(availableParallelism()) },
    bug: { type: 'string' },
    trace: { type: 'boolean', default: false },
  },
});
const [from, count, jobs] = [values.from, values.seeds, values.jobs].map(Number);
if (![from, count, jobs].every(Number.isSafeInteger)) throw new Error('--seeds, --from and --jobs take whole numbers');

const seeds = Array.from({ length: count ?? 0 }, (_, at) => (from ?? 1) + at);

const write = (line: string) => void process.stdout.write(`${line}\n`);
const began = performance.now();
/** How often to say how far it is. */
const everyMs = 10_000;
let saidAt = began;

const tally = await simulateSeeds(
  { seeds, jobs: jobs ?? 1, bug: values.bug ?? null, trace: values.trace },
  {
    trace: write,
    simulated(_report, { simulated }) {
      if (performance.now() - saidAt < everyMs) return;
      saidAt = performance.now();
      write(`${simulated} seeds, ${rate(simulated)} a second`);
    },
    failed: ({ seed, scenario, violation }) => write(`Seed ${seed} (${scenario}): ${violation}`),
  },
);
write(
  `${tally.simulated} seeds, ${rate(tally.simulated)} a second; ${tally.failures.length} failed. Of ${JSON.stringify(tally.scenarios)}`,
);
process.exitCode = tally.failures.length > 0 ? 1 : 0;

function rate(seeds: number): string {
  return (seeds / ((performance.now() - began) / 1_000)).toFixed(1);
}
