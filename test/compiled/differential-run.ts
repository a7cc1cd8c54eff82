/**
 * The differential test over as many pairs as there is time for: `node test/compiled/differential-run.ts [seed] [pairs]`.
 * The seed of a failure repeats its operation first.
 */
import { newTally, randomSeed, runDifferential, summaryOf } from './differential.ts';

const [seed = randomSeed(), pairs = 1_000_000] = process.argv.slice(2).map(Number);
// Without a seed that is a number all pairs are alike, and nothing is compared.
if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(pairs))
  throw new Error('seed and pairs must be whole numbers');
/** Pairs between two reports. */
const step = 10_000;

const total = newTally();
process.stdout.write(`Seed ${seed}\n`);
for (let from = seed; total.pairs < pairs; from += step * 1_000) {
  const tally = await runDifferential(from, Math.min(step, pairs - total.pairs));
  for (const key of ['pairs', 'compiled', 'wellFormed', 'wellFormedCompiled', 'nested', 'nestedCompiled'] as const)
    total[key] += tally[key];
  for (const [reason, count] of tally.left) total.left.set(reason, (total.left.get(reason) ?? 0) + count);
  process.stdout.write(`${summaryOf(total)}\n`);
}
