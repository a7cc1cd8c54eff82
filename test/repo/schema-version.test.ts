/** The version of the schema: a change has a version and a section of the change log, and a breaking one is announced there. */
import { readFileSync } from 'node:fs';
import { buildSchema, findBreakingChanges } from 'graphql';
import { describe, expect, test } from 'vitest';
import { sectionOf } from '../support/docs.ts';
import { schemas } from '../support/released-schema.ts';

const { now, released, version: releasedVersion } = schemas();
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

/** The sentences of breaking changes that a section of the change log does not have. */
const unannounced = (before: string, after: string, section: string): string[] =>
  findBreakingChanges(buildSchema(before), buildSchema(after))
    .map(({ description }) => description)
    .filter((sentence) => !section.includes(sentence));

test.runIf(now !== released)('a changed schema has a version of its own, and a section in the change log', () => {
  expect(version.localeCompare(releasedVersion, 'en', { numeric: true })).toBe(1);
  expect(sectionOf(version)).toMatch(/^\| `/m);
});

test('the README has the version', () => {
  expect(sectionOf('Status')).toContain(`Version ${version}.`);
});

test('a released version has a section in the change log', () => {
  expect(sectionOf(releasedVersion)).not.toBe('');
});

describe('a breaking change', () => {
  test('is announced, in the words of graphql-js, below "Breaking" of its version', () => {
    const [, breaking = ''] = sectionOf(version).split(/^### Breaking.*$/m);
    expect(unannounced(released, now, breaking)).toEqual([]);
  });

  test('would be found if it were not announced', () => {
    const [before, after] = ['type Query { old: Int new: Int }', 'type Query { new: Int }'];
    expect(unannounced(before, after, '')).toEqual(['Query.old was removed.']);
    expect(unannounced(before, after, '- Query.old was removed. Use `new`.')).toEqual([]);
    expect(unannounced(after, before, '')).toEqual([]);
  });

  test('of a type has its row in the upgrade of clients, under the name of the type', () => {
    const page = readFileSync('docs/use/upgrade.md', 'utf8');
    const kept = buildSchema(now).getTypeMap();
    const gone = Object.keys(buildSchema(released).getTypeMap()).filter((name) => kept[name] === undefined);
    expect(gone.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});
