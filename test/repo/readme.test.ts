import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { configHelp } from '../../src/config.ts';
import { sandboxTables } from '../support/sandbox-tables.ts';

const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
const lines = new Set(readme.split('\n'));

describe('README.md', () => {
  it.each(Object.entries(sandboxTables))('shows the sandbox table of %s, row for row', (_name, rows) => {
    // `node test/support/sandbox-tables.ts` prints the tables.
    expect(rows.filter((row) => !lines.has(row))).toEqual([]);
  });

  it('shows every variable of the environment', () => {
    const names = configHelp().match(/^ {2}[A-Z_]+/gm) ?? [];
    expect(names.length).toBeGreaterThan(5);
    expect(names.map((name) => name.trim()).filter((name) => !readme.includes(`| \`${name}\` |`))).toEqual([]);
  });
});
