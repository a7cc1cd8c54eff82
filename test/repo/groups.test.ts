/** The groups of suites: each suffix is one of them, has suites, and stands in the documentation. */
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { groupOf, groups } from '../support/groups.ts';

// Installed packages are left out before they are read: one of them is a link to the repository itself.
const suites = globSync('**/*.test.ts', { cwd: 'test', exclude: (path) => basename(path) === 'node_modules' });

test.each(Object.entries(groups))('%s has suites, and stands in the documentation', (group, what) => {
  expect(suites.filter((file) => file.endsWith(`.${group}.test.ts`))).not.toEqual([]);
  expect(readFileSync('docs/develop/testing.md', 'utf8')).toContain(`| \`${group}\` | ${what} |`);
});

test.each([
  ['test/store/faults.proof.test.ts', 'proof'],
  ['test/store/lease.test.ts', 'fast'],
  ['test/webhooks/limited-keys.upstream.test.ts', 'fast'],
  ['test/examples/react-urql.browser.test.ts', 'test/examples'],
])('the budget of %s is that of %s', (file, group) => {
  expect(groupOf(file)).toBe(group);
});
