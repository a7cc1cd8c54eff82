/** The splicer against JSON.parse and JSON.stringify. */
import { expect, test } from 'vitest';
import { createSplicer } from '../../src/splice/splicer.ts';
import { compareWithModel } from '../support/splice-differential.ts';

test('prints what the model prints, or refuses: for any plan, any document, and damaged ones', {
  timeout: 60_000,
}, () => {
  const tally = compareWithModel(createSplicer(), { runs: 600, seed: 20_260_101 });
  expect(tally.pairs).toBeGreaterThan(10_000);
});
