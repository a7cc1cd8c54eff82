import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { variableTable } from '../../src/config/variables.ts';
import { allSeries } from '../../src/telemetry/series.ts';
import { sandboxTables } from '../support/sandbox-tables.ts';

const root = new URL('../../', import.meta.url);
const sandboxReadmePath = 'src/providers/sandbox/README.md';
const [readme, sandboxReadme] = await Promise.all(
  ['README.md', sandboxReadmePath].map((path) => readFile(new URL(path, root), 'utf8')),
);

/** The rows of a table that stand in none of the lines. */
const missingRows = (rows: readonly string[], text = ''): string[] => {
  const lines = new Set(text.split('\n'));
  return rows.filter((row) => !lines.has(row));
};

describe('README.md', () => {
  it.each(variableTable)('describes $name as --help does', ({ name, help, fallback }) => {
    const row = `| \`${name}\` |${fallback === '' ? '' : ` \`${fallback}\``} | ${help} |`;
    expect(missingRows([row], readme)).toEqual([]);
  });

  it.each(allSeries)('describes the metric %s', (name, { kind, help, labels }) => {
    const row = `| ${kind === 'total' ? 'counter' : kind} | ${labels.map((label) => `\`${label.replaceAll('.', '_')}\``).join(', ')} | ${help} |`;
    const lines = (readme ?? '').split('\n').filter((line) => line.startsWith(`| \`${name.replaceAll('.', '_')}`));
    expect(lines.some((line) => line.endsWith(row))).toBe(true);
  });

  it('links to the tables of the sandbox', () => {
    expect(readme).toContain(`](${sandboxReadmePath})`);
  });
});

describe(sandboxReadmePath, () => {
  it.each(Object.entries(sandboxTables))('shows the table of %s, row for row', (_name, rows) => {
    // `node test/support/sandbox-tables.ts` prints the tables.
    expect(missingRows(rows, sandboxReadme)).toEqual([]);
  });

  it('would be found to lack a row', () => {
    const [first = ''] = sandboxTables.drafts ?? [];
    expect(missingRows([first], sandboxReadme?.replace(first, ''))).toEqual([first]);
  });
});
