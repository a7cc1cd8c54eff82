import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { variableTable } from '../../src/app/config/variables.ts';
import { allSeries } from '../../src/telemetry/series.ts';
import { readmeSection, snippet } from '../support/readme-section.ts';
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

/** What links of a text lead to that is neither a heading of the README nor a file. */
const deadLinks = (text = ''): string[] => {
  const headings = new Set(
    [...text.matchAll(/^#+ (.*)$/gm)].map(
      ([, heading = '']) =>
        `#${heading
          .toLowerCase()
          .replaceAll(/[^\w\- ]/g, '')
          .replaceAll(' ', '-')}`,
    ),
  );
  const targets = [...text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, target = '']) => target);
  return targets.filter((target) =>
    target.startsWith('#') ? !headings.has(target) : !existsSync(new URL(target, root)),
  );
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

  it('leads with every link to a heading or a file', () => {
    expect(deadLinks(readme)).toEqual([]);
    expect(deadLinks(`${readme}[there](#nowhere) [and](src/nothing.ts)`)).toEqual(['#nowhere', 'src/nothing.ts']);
  });

  it('draws folders that exist', () => {
    const drawn = [...snippet('## How it works', 'mermaid').matchAll(/\b(\w+)\//g)].map(([, name = '']) => name);
    expect(drawn).toEqual(expect.arrayContaining(['graphql', 'store', 'delivery']));
    expect(drawn.filter((name) => !existsSync(new URL(`src/${name}`, root)))).toEqual([]);
  });

  it('names every licence of what a server installs', async () => {
    const lock = JSON.parse(await readFile(new URL('package-lock.json', root), 'utf8'));
    const installed = Object.entries<{ license?: string; dev?: boolean }>(lock.packages).filter(
      ([name, { dev }]) => name !== '' && dev !== true,
    );
    const licences = new Set(installed.map(([name, { license }]) => license ?? name));
    const [, named = ''] = /all permissive: (.*)\.$/m.exec(readmeSection('## Licence')) ?? [];
    expect(named.split(/, | and /).sort()).toEqual([...licences].sort());
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
