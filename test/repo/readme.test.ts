import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { variableTable } from '../../src/config.ts';
import { sandboxTables } from '../support/sandbox-tables.ts';

const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
const lines = new Set(readme.split('\n'));

describe('README.md', () => {
  it.each(Object.entries(sandboxTables))('shows the sandbox table of %s, row for row', (_name, rows) => {
    // `node test/support/sandbox-tables.ts` prints the tables.
    expect(rows.filter((row) => !lines.has(row))).toEqual([]);
  });

  it.each(variableTable)('describes $name as --help does', ({ name, help, fallback }) => {
    expect(lines).toContain(`| \`${name}\` |${fallback === '' ? '' : ` \`${fallback}\``} | ${help} |`);
  });
});
