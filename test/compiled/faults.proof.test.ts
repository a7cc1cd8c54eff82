/** The differential test finds every deliberate fault of the compiler and of the runner, soon. */
import { expect, test } from 'vitest';
import { Difference, realSubject, runDifferential } from './differential.ts';
import { faults } from './faults.ts';

/** What the differential test runs at the least. */
const pairs = 10_000;

test.each(Object.entries(faults))('%s', { timeout: 300_000 }, async (_what, fault) => {
  const found = await runDifferential({ seed: 20_260_101, pairs }, fault(realSubject())).catch((error) => error);
  expect(found).toBeInstanceOf(Difference);
});
