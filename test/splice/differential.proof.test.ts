/** The splicer against JSON.parse and JSON.stringify. `test/mutants/mutants.txt` has bugs of the kernel that this finds. */
import { expect, test } from 'vitest';
import { createSplicer } from '../../src/splice/splicer.ts';
import { compareWithModel } from '../support/splice-differential.ts';

// With the last three it finds bugs that few documents show.
test.each([20_260_101, 8, 24, 101])(
  'prints what the model prints, or refuses: for any plan and document (seed %i)',
  {
    timeout: 60_000,
  },
  (seed) => {
    const tally = compareWithModel(createSplicer(), { runs: 600, seed });
    expect(tally.pairs).toBeGreaterThan(10_000);
  },
);
