/** Compares the splicer with its model, over plans and documents that are made of bytes. */
import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import type { SplicePlan } from '../../src/splice/plan.ts';
import { encodePlan, type PrintOptions, type Splice, type Splicer } from '../../src/splice/splicer.ts';
import { Choices } from './choices.ts';
import { makeDocument, makePlan, makePrintOptions, mutate, type SpliceCase } from './splice-cases.ts';
import { modelPrint, Refused } from './splice-model.ts';

/** How many documents of one plan are tried: the kernel learns from each in what order keys come. */
const documentsPerPlan = 6;

export interface Tally {
  pairs: number;
  printed: number;
  /** Of all that was printed. */
  bytes: number;
  refused: number;
  /** Refused although the model prints. */
  declined: number;
}

export const emptyTally = (): Tally => ({ pairs: 0, printed: 0, bytes: 0, refused: 0, declined: 0 });

/** @throws if the splicer ever prints something else than the model, or refuses what it must print */
export function compareWithModel(
  splicer: Splicer,
  { runs, seed }: { readonly runs: number; readonly seed: number },
  tally = emptyTally(),
): Tally {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1_500, maxLength: 4_000, size: 'max' }), (bytes) => {
      compareOnce(splicer, new Choices(bytes), tally);
    }),
    { numRuns: runs, seed, endOnFailure: true },
  );
  return tally;
}

function compareOnce(splicer: Splicer, choices: Choices, tally: Tally): void {
  const made = makePlan(choices);
  const plan = encodePlan(made.plan);
  for (let at = 0; at < documentsPerPlan; at++) {
    const splice = splicer.open(plan);
    try {
      compareResponse(splice, choices, made, tally);
    } finally {
      splice.close();
    }
  }
}

/** One or two documents, printed by one or both templates, with texts between. */
function compareResponse(splice: Splice, choices: Choices, made: SpliceCase, tally: Tally): void {
  let expected = '';
  const text = (): void => {
    const some = choices.pick(['', '{"data":', 'ü'.repeat(20)]);
    splice.text(some);
    expected += some;
  };
  for (let documents = 1 + choices.below(2); documents > 0; documents--) {
    if (choices.oneIn(3)) text();
    const { bytes, isUsual } = document(choices, made);
    const scanned = splice.scan(chunks(choices, bytes));
    for (const template of [choices.below(2), 2, 3]) {
      const options = makePrintOptions(choices);
      const model = modelled(made.plan, template, bytes, options);
      const refusal = typeof scanned === 'string' ? scanned : splice.print(template, scanned, options);
      tally.pairs++;
      if (refusal === 'too_large') throw new Error(`${refusal} by ${bytes.toString()}`);
      if (refusal === null) {
        tally.printed++;
        tally.bytes += model?.length ?? 0;
        if (model === null) throw new Error(`Printed ${splice.output()}, which the model refuses, of ${bytes}`);
        expected += model;
        const output = Buffer.from(splice.output());
        if (!output.equals(Buffer.from(expected)))
          throw new Error(`Printed\n${output}\nnot\n${expected}\nof\n${bytes}`);
      } else {
        tally.refused++;
        if (model !== null) tally.declined++;
        if (model !== null && isUsual) throw new Error(`Refused as ${refusal}: ${bytes}`);
      }
    }
  }
}

function document(choices: Choices, made: SpliceCase) {
  const document = makeDocument(choices, made);
  if (!choices.oneIn(3)) return document;
  let { bytes } = document;
  for (let times = 1 + choices.below(3); times > 0; times--) bytes = mutate(choices, bytes);
  return { bytes, isUsual: false };
}

function chunks(choices: Choices, bytes: Buffer): Buffer[] {
  const at = choices.below(3) === 0 ? choices.below(256) : bytes.length;
  return [bytes.subarray(0, at), bytes.subarray(at)];
}

function modelled({ shape, templates }: SplicePlan, at: number, bytes: Buffer, options: PrintOptions): string | null {
  try {
    return modelPrint(templates[at] ?? [], shape, bytes, options);
  } catch (error) {
    if (error instanceof Refused) return null;
    throw error;
  }
}
