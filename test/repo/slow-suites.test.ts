/** The quick run: what it leaves out exists, and is left out by its present name. */
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { slowSuites } from '../support/slow-suites.ts';

test.each(Object.keys(slowSuites))('%s exists', (file) => {
  expect(existsSync(file)).toBe(true);
});
