/** The groups of suites: each suffix is one of them, has suites, and stands in the documentation. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { groups } from '../support/groups.ts';

const suites = readdirSync('test', { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.test.ts') && !file.includes('node_modules'),
);

test.each(Object.entries(groups))('%s has suites, and stands in the documentation', (group, what) => {
  expect(suites.filter((file) => file.endsWith(`.${group}.test.ts`))).not.toEqual([]);
  expect(readFileSync('docs/develop/testing.md', 'utf8')).toContain(`| \`${group}\` | ${what} |`);
});
