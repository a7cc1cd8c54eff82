/** The differential test finds every deliberate fault of the compiler and of the runner, in the pairs that it runs. */
import { expect, test } from 'vitest';
import { Difference, realSubject, runDifferential } from './differential.ts';
import { faults, firstSeed, foundBy, leastPairs } from './faults.ts';

test.each(Object.entries(faults))('%s', { timeout: 300_000 }, async (what, fault) => {
  const seed = foundBy[what];
  const pairs = seed === undefined ? leastPairs : 10;
  const found = await runDifferential({ seed: seed ?? firstSeed, pairs }, fault(realSubject())).catch((error) => error);
  expect(found).toBeInstanceOf(Difference);
});
