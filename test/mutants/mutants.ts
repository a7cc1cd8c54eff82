/** Reads `mutants.txt`: bugs by the rule that they break, in sections that name the suites which should find them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Replacement } from './replacement.ts';

export interface Mutant {
  readonly section: string;
  /** Parts of their paths. */
  readonly suites: readonly string[];
  readonly replacements: readonly Replacement[];
}

/** By the section and the rule that is broken: `store: a full last page has a cursor`. */
export const mutants: ReadonlyMap<string, Mutant> = readMutants(
  readFileSync(join(import.meta.dirname, 'mutants.txt'), 'utf8'),
);

/** Those of a section, by the rule that is broken. */
export const mutantsOf = (section: string): ReadonlyMap<string, Mutant> =>
  new Map(
    [...mutants].flatMap(([name, mutant]) =>
      mutant.section === section ? [[name.slice(`${section}: `.length), mutant] as const] : [],
    ),
  );

/**
 * A block of lines for each, with an empty line between: the rule; then for each place `@` with the file below src, `-` with
 * the text that occurs once in it, and `+` with what stands there instead, unless that is nothing.
 */
function readMutants(text: string): ReadonlyMap<string, Mutant> {
  const found = new Map<string, Mutant>();
  let [section, suites]: [string, readonly string[]] = ['', []];
  for (const block of text.trim().split('\n\n')) {
    const [heading = '', ...lines] = block.split('\n');
    const [, named, list] = /^# (\S+): (.*)$/.exec(heading) ?? [];
    if (named !== undefined && list !== undefined) [section, suites] = [named, list.split(' ')];
    const [rule, ...places] = named === undefined ? [heading, ...lines] : lines;
    const replacements = places.join('\n').split(/^@ /m).slice(1).map(readPlace);
    const name = `${section}: ${rule}`;
    if (replacements.length === 0 || found.has(name))
      throw new Error(`mutants.txt has no place for, or twice: ${name}`);
    found.set(name, { section, suites, replacements });
  }
  return found;
}

function readPlace(text: string): Replacement {
  const [file = '', ...lines] = text.trimEnd().split('\n');
  const marked = (mark: string) =>
    lines
      .filter((line) => line.startsWith(mark))
      .map((line) => line.slice(2))
      .join('\n');
  return { file, find: marked('-'), replace: marked('+') };
}
