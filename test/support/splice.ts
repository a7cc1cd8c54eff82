/** Reads a document with the splicer and prints it, in one call. */
import type { LeafRule, ObjectShape, Part } from '../../src/splice/plan.ts';
import { createSplicer, encodePlan, type PrintOptions, type Refusal } from '../../src/splice/splicer.ts';

/** What was printed, or why not. */
export type Outcome = string | { readonly refused: Refusal };

const splicer = createSplicer();

export const wholeWindow: PrintOptions = { from: 0, to: 1_000, parameters: [], itemParameters: [] };

export function spliced(
  shape: ObjectShape,
  parts: readonly Part[],
  document: string | Uint8Array,
  options: Partial<PrintOptions> = {},
): Outcome {
  const splice = splicer.open(encodePlan({ shape, templates: [parts] }));
  try {
    const scanned = splice.scan([typeof document === 'string' ? Buffer.from(document) : document]);
    if (typeof scanned === 'string') return { refused: scanned };
    const refused = splice.print(0, scanned, { ...wholeWindow, ...options });
    return refused === null ? Buffer.from(splice.output()).toString() : { refused };
  } finally {
    splice.close();
  }
}

/** Prints the value under the key `v`. */
export const splicedLeaf = (rule: LeafRule, document: string | Uint8Array, required = false): Outcome =>
  spliced({ v: 'leaf' }, [{ kind: 'leaf', key: 'v', rule, required }], document);

/** Whether a document is read. */
export function scans(shape: ObjectShape, document: string | Uint8Array): 'read' | Refusal {
  const outcome = spliced(shape, [], document);
  return typeof outcome === 'string' ? 'read' : outcome.refused;
}

/** Every text of up to so many tokens. */
export function* textsOf(tokens: readonly string[], most: number): Generator<string> {
  yield '';
  if (most === 0) return;
  for (const rest of textsOf(tokens, most - 1)) for (const token of tokens) yield token + rest;
}
