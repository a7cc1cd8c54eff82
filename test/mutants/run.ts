/**
 * Puts each bug of `mutants.txt` into a copy of the tree, runs suites, and writes to `table.txt` which of them fail:
 * `npm run test:mutants -- --only store --suites test/store,test/auth/sharing`.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { buildKernel, builtFile } from '../splice/build-kernel.ts';
import { mutants } from './mutants.ts';
import { replaced } from './replacement.ts';

const { values } = parseArgs({
  options: {
    /** Parts of the table, or of the rule: `store`, `store: a cursor`. */
    only: { type: 'string', default: '' },
    /** Parts of the paths of suites, instead of those of the folder. */
    suites: { type: 'string' },
    /** Suites to leave out. */
    without: { type: 'string' },
    /** Part of the names of their tests, with the names of what the tests stand in: `SQLite`. */
    tests: { type: 'string' },
    /** Suites of all groups, on all databases. */
    slow: { type: 'boolean', default: false },
    /** Stop at the first suite that fails. */
    bail: { type: 'boolean', default: false },
  },
});
const root = join(import.meta.dirname, '../..');
const tableFile = join(import.meta.dirname, 'table.txt');
const parts = values.only.split(',');
const chosen = [...mutants].filter(([name]) => parts.some((part) => name.includes(part)));
const without = values.without?.split(',') ?? [];

const copy = mkdtempSync(join(tmpdir(), 'postern-mutants-'));
const left = ['node_modules', '.git'];
cpSync(root, copy, { recursive: true, filter: (file) => !left.some((name) => file.endsWith(`/${name}`)) });
for (const packages of ['node_modules', 'test/splice/node_modules'])
  symlinkSync(join(root, packages), join(copy, packages));
mkdirSync(join(copy, '.git'));
// The kernel of splices is built from there.
process.chdir(copy);

const { createVitest } = await import('vitest/node');
const vitest = await createVitest(
  'test',
  {
    root: copy,
    watch: false,
    mode: values.slow ? 'test' : 'quick',
    reporters: [{}],
    maxWorkers: 1,
    retry: 0,
    bail: values.bail ? 1 : 0,
    ...(values.tests === undefined ? {} : { testNamePattern: values.tests }),
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
  { root: copy },
);

/** The suites that fail. */
async function failing(patterns: readonly string[]): Promise<string[]> {
  const all = await vitest.globTestSpecifications([...patterns]);
  const specifications = all.filter(({ moduleId }) => !without.some((part) => moduleId.includes(part)));
  // They stay from run to run, and with `--bail` not all are run again: one that failed before would be found to fail.
  vitest.state.filesMap.clear();
  const { testModules } = await vitest.runTestSpecifications(specifications);
  const failed = testModules.filter((module) => module.state() === 'failed');
  return [...new Set(failed.map(({ moduleId }) => relative(copy, moduleId)))].sort();
}

function put(file: string, text: string | Uint8Array): void {
  writeFileSync(file, text);
  vitest.invalidateFile(file);
}

const ruleIn = (line: string): string => line.split(' | ', 1)[0] ?? '';
const rows = new Map(
  (existsSync(tableFile) ? readFileSync(tableFile, 'utf8').trimEnd().split('\n') : []).map((line) => [
    ruleIn(line),
    line,
  ]),
);

const kernelFile = join(copy, builtFile);
const kernel = readFileSync(kernelFile);
const before = new Map<string, readonly string[]>();
try {
  await vitest.standalone();
  for (const [name, { suites, replacements }] of chosen) {
    const patterns = values.suites?.split(',') ?? suites;
    const key = patterns.join(' ');
    const anyway = before.get(key) ?? (await failing(patterns));
    if (!before.has(key) && anyway.length > 0) process.stdout.write(`These fail anyway: ${anyway.join(' ')}\n`);
    before.set(key, anyway);
    const files = new Map<string, string>();
    for (const replacement of replacements) {
      const file = join(copy, 'src', replacement.file);
      const source = readFileSync(file, 'utf8');
      if (!files.has(file)) files.set(file, source);
      put(file, replaced(source, replacement));
    }
    if (replacements.some(({ file }) => file.startsWith('splice/assembly/'))) put(kernelFile, await buildKernel());
    const killers = (await failing(patterns)).filter((suite) => !anyway.includes(suite));
    for (const [file, text] of files) put(file, text);
    put(kernelFile, kernel);
    const line = `${name} | ${killers.length > 0 ? killers.join(' ') : `none of ${key}`}`;
    process.stdout.write(`${line}\n`);
    rows.set(name, line);
    const known = [...rows.values()].filter((row) => mutants.has(ruleIn(row)));
    writeFileSync(tableFile, `${known.sort().join('\n')}\n`);
  }
} finally {
  await vitest.close();
  rmSync(copy, { recursive: true, force: true });
}
