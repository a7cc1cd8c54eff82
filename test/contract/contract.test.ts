/**
 * The project's tables against those of the contract. spec.md is a copy of it, in which one path that named a
 * brand has the neutral name. Both sides become rows of text by subject, and every subject must have the same rows.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { additions, heldFacts } from './held.ts';
import { type Facts, statedFacts } from './stated.ts';
import { readTables } from './tables.ts';

const markdown = readFileSync(join(import.meta.dirname, 'spec.md'), 'utf8');
const stated = statedFacts(markdown);
const held = heldFacts();
const subjects = Object.keys(stated);

interface Difference {
  readonly missing: readonly string[];
  readonly surplus: readonly string[];
}

/** What one side has that the other lacks; rows that are said twice count as one. */
function difference(subject: string, contract: Facts, project: Facts): Difference {
  const [wanted, there] = [contract[subject] ?? [], project[subject] ?? []];
  const added = additions[subject] ?? [];
  return {
    missing: wanted.filter((row) => !there.includes(row)),
    surplus: there.filter((row) => !wanted.includes(row) && !added.includes(row)),
  };
}

const differs = (contract: Facts, project: Facts): boolean =>
  subjects.some((subject) => {
    const { missing, surplus } = difference(subject, contract, project);
    return missing.length + surplus.length > 0;
  });

test('both sides speak of the same subjects', () => {
  expect(Object.keys(held).sort()).toEqual([...subjects].sort());
});

test.each(subjects)('%s', (subject) => {
  expect(stated[subject]?.length).toBeGreaterThan(0);
  expect(difference(subject, stated, held)).toEqual({ missing: [], surplus: [] });
});

test('every addition is in the project and not in the contract', () => {
  for (const [subject, rows] of Object.entries(additions)) {
    expect(held[subject]).toEqual(expect.arrayContaining([...rows]));
    for (const row of rows) expect(stated[subject]).not.toContain(row);
  }
});

/** Tables that say what happens, which tests of behaviour hold. */
const behaviour = ['States and transitions'];

test('the comparison fails for every row of a table that the contract loses', () => {
  const lines = markdown.split('\n');
  const rows = readTables(markdown)
    .filter(({ heading }) => !behaviour.includes(heading))
    .flatMap((table) => table.lines);
  expect(rows.length).toBeGreaterThan(150);
  const unnoticed = rows.filter((row) => !differs(statedFacts(lines.toSpliced(row, 1).join('\n')), held));
  expect(unnoticed.map((row) => lines[row])).toEqual([]);
});

/** Lists in the contract's text: how each begins, and what its words look like. */
const lists: readonly (readonly [string, RegExp])[] = [
  ['Account type values: ', /\b[A-Z][A-Z_]+\b/g],
  ['Trigger icon values: ', /\b\w+Icon\b/g],
  ['Job states (field', /(?<=: |, )\w+/g],
  ['errors/missing_credentials, errors', /errors\/\w+/g],
  ['errors/insufficient_permissions, ', /errors\/\w+/g],
];

test.each(lists)('the comparison fails for every word that the contract loses of "%s…"', (beginning, pattern) => {
  const line = markdown.split('\n').find((each) => each.startsWith(beginning)) ?? '';
  const words = [...line.matchAll(pattern)];
  expect(words.length).toBeGreaterThanOrEqual(5);
  const unnoticed = words.filter(({ index, 0: word }) => {
    const without = line.slice(0, index) + line.slice(index + word.length);
    return !differs(statedFacts(markdown.replace(line, without)), held);
  });
  expect(unnoticed.map(([word]) => word)).toEqual([]);
});

test('the comparison fails for every row that the project loses', () => {
  const unnoticed = subjects.flatMap((subject) =>
    (held[subject] ?? [])
      .filter((row) => !additions[subject]?.includes(row))
      .filter((row) => !differs(stated, { ...held, [subject]: held[subject]?.filter((each) => each !== row) ?? [] })),
  );
  expect(unnoticed).toEqual([]);
});

test('the comparison fails for a row that only the project has', () => {
  const unnoticed = subjects.filter(
    (subject) => !differs(stated, { ...held, [subject]: [...(held[subject] ?? []), 'an invention'] }),
  );
  expect(unnoticed).toEqual([]);
});
