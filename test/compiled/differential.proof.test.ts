/** Compiled operations against graphql-js, over generated operations and pages. `npm run test:differential` runs a million. */
import { describe, expect, test } from 'vitest';
import { compileOperation } from '../../src/graphql/executors/compiled/operation.ts';
import { toSubgraph } from '../../src/graphql/federation/subgraph.ts';
import { schema } from '../support/schema.ts';
import { randomSeed, realSubject, runDifferential, summaryOf, type Tally } from './differential.ts';
import { firstSeed, foundBy, leastPairs } from './faults.ts';

/** Of well-formed pairs nearly all must be compiled. What is not: windows that go on in another page. */
function expectMostCompiled(tally: Tally): void {
  expect(tally.wellFormed).toBeGreaterThan(0.3 * tally.pairs);
  expect(tally.wellFormedCompiled).toBeGreaterThanOrEqual(0.95 * tally.wellFormed);
  expect(tally.nested).toBeGreaterThan(0.05 * tally.pairs);
  expect(tally.nestedCompiled).toBeGreaterThanOrEqual(0.95 * tally.nested);
}

describe('compiled operations print what graphql-js gives, byte for byte', () => {
  test('the same pairs in every run', { timeout: 300_000 }, async () => {
    const tally = await runDifferential({ seed: firstSeed, pairs: leastPairs });
    process.stdout.write(`${summaryOf(tally)}\n`);
    expectMostCompiled(tally);
  });

  // A difference names the seed of its operation, so that it can be repeated.
  test.each([randomSeed()])('other pairs in every run (seed %i)', { timeout: 300_000 }, async (seed) => {
    await runDifferential({ seed, pairs: leastPairs });
  });

  test.each(Object.entries(foundBy))('pairs that show that %s', async (_what, seed) => {
    await runDifferential({ seed, pairs: 10 });
  });

  test.each([
    ['a read that a failed field left running', 217_637_042],
    ['an entry of a list that fails before the one before it', 225_168_042],
    ['a field that fails before a pending one', 235_258_042],
  ])('pairs that differed: %s', async (_what, seed) => {
    await runDifferential({ seed, pairs: 10 });
  });

  test('and the schema of a subgraph compiles to the same', async () => {
    const subgraph = toSubgraph(schema, null);
    const compile: typeof compileOperation = (_schema, ...rest) => compileOperation(subgraph, ...rest);
    const tally = await runDifferential({ seed: firstSeed, pairs: 500 }, { ...realSubject(), compile });
    expectMostCompiled(tally);
  });
});
