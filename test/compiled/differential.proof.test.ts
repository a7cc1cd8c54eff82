/**
 * Compiled operations against graphql-js, over generated operations and pages. `npm run test:differential` runs a million.
 * `test/mutants/mutants.txt` has bugs of the compiler and of the runner that this finds.
 */
import { expect, test } from 'vitest';
import { toSubgraph } from '../../src/graphql/federation/subgraph.ts';
import { schema } from '../support/schema.ts';
import { randomSeed, runDifferential, summaryOf, type Tally } from './differential.ts';

const firstSeed = 20_260_101;

/** Of well-formed pairs nearly all must be compiled. What is not: windows that go on in another page. */
function expectMostCompiled(tally: Tally): void {
  expect(tally.wellFormed).toBeGreaterThan(0.3 * tally.pairs);
  expect(tally.wellFormedCompiled).toBeGreaterThanOrEqual(0.95 * tally.wellFormed);
  expect(tally.nested).toBeGreaterThan(0.05 * tally.pairs);
  expect(tally.nestedCompiled).toBeGreaterThanOrEqual(0.95 * tally.nested);
}

test('the same pairs in every run', { timeout: 300_000 }, async () => {
  const tally = await runDifferential(firstSeed, 1_000);
  process.stdout.write(`${summaryOf(tally)}\n`);
  expectMostCompiled(tally);
});

// A difference names the seed of its operation, so that it can be repeated.
test.each([randomSeed()])('other pairs in every run (seed %i)', { timeout: 300_000 }, async (seed) => {
  await runDifferential(seed, 1_000);
});

test.each([
  ['no object is required', 20_682_101],
  ['no list is required', 20_489_101],
  ['a time is printed as it came', 20_500_101],
  ['an object of another kind is a webhook', 21_177_101],
  ['the text behind the last root is forgotten', 20_291_101],
  ['the kind of the page is not looked at', 20_283_101],
  ['filters are ignored', 20_473_101],
  ['of a list within a list another is printed', 20_312_101],
  ['a read that a failed field left running is the next one', 217_637_042],
  ['an entry of a list fails before the one before it', 225_168_042],
  ['a field fails before a pending one', 235_258_042],
])('pairs that showed, or would show, that %s', async (_what, seed) => {
  await runDifferential(seed, 10);
});

test('the schema of a subgraph compiles to the same', async () => {
  expectMostCompiled(await runDifferential(firstSeed, 500, toSubgraph(schema, null)));
});
