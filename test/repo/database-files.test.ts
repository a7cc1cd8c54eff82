/**
 * Nothing but SQLite opens a database file: to close any descriptor of one drops the locks of every connection of the process.
 * So every file of `src` that can open a file is named here, with what it opens.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const src = join(import.meta.dirname, '../../src');
const sources = new Map(
  readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.[jt]s$/.test(file))
    .map((file) => [file, readFileSync(join(src, file), 'utf8')]),
);

/** What of `node:fs` has no descriptor of a file. What is not here opens one, or might. */
const opensNothing = new Set([
  ...[
    'access',
    'exists',
    'link',
    'lstat',
    'mkdir',
    'mkdtemp',
    'readdir',
    'readlink',
    'realpath',
    'rename',
    'rm',
    'stat',
  ],
  ...['symlink', 'unlink', 'constants', 'Stats', 'Dirent'],
]);

/** What can open a file, and the files that it opens: none of them by a path that could be that of a database in use. */
const openers: Readonly<Record<string, string>> = {
  'app/config/values.ts': 'files of the configuration, at the start',
  'net/dns/system-files.ts': 'settings of the system',
  'pages/docs/page.ts': 'its own',
  'pages/graphiql/examples.ts': 'its own',
  'pages/html.ts': 'its own',
  'http/static-files.ts': 'its own',
  'app/demo.ts': 'the demo key',
  'kernel/secrets/secret.ts': 'the secret',
  'splice/kernel.ts': 'its own',
  'app/cli/accounts.ts': 'a token',
  'app/cli/backup-folder.ts': 'the secret of a backup',
  'app/cli/schema.ts': 'schema.graphql',
  'app/postern.js': 'none: it starts Node.js, before a database is open',
  'store/database-file.ts': 'an empty file that has no name of a database yet, and the log, which has no locks',
  'store/sqlite-backup.ts': 'a folder',
};

const withoutComments = (source: string): string => source.replace(/\/\*[\s\S]*?\*\/|(?<![:'"`])\/\/.*$/gm, '');

/** The values that a source imports of Node.js' modules for files, `*` for all of them. */
function opensBy(source: string): string[] {
  const code = withoutComments(source);
  const mentions = [...code.matchAll(/['"](?:node:)?(?:fs(?:\/promises)?|child_process)['"]/g)].length;
  const imports = [...code.matchAll(/import (type )?\{([^}]*)\} from '(?:node:)?fs(?:\/promises)?'/g)];
  const names = imports.flatMap(([, type, list = '']) => (type ? [] : list.split(',').map((name) => name.trim())));
  const openers = names.filter((name) => name !== '' && !opensNothing.has(name.replace(/Sync$/, '')));
  return mentions === imports.length ? openers : ['*', ...openers];
}

test('every file that can open a file is known, with what it opens', () => {
  const found = [...sources].filter(([, source]) => opensBy(source).length > 0).map(([file]) => file);
  expect(found.sort()).toEqual(Object.keys(openers).sort());
});

test('SQLite is asked for a file in one place', () => {
  const asking = [...sources].filter(([, source]) =>
    /new DatabaseSync\b|\bbackup\b.*node:sqlite/.test(withoutComments(source)),
  );
  expect(asking.map(([file]) => file)).toEqual(['store/database-file.ts']);
  const importing = [...sources].filter(([, source]) => /import (?!type\b).*'node:sqlite'/.test(source));
  expect(importing.map(([file]) => file)).toEqual(['store/database-file.ts']);
});

test.each([
  ["import { closeSync, openSync } from 'node:fs';", ['closeSync', 'openSync']],
  ["import { readFile, stat } from 'node:fs/promises';", ['readFile']],
  ["import { statSync, type Stats } from 'node:fs';", ['type Stats']],
  ["import { rename } from 'node:fs/promises';", []],
  ["import fs from 'node:fs';", ['*']],
  ["const fs = await import('node:fs');", ['*']],
  ["process.getBuiltinModule('fs')", ['*']],
  ["import { execFile } from 'node:child_process';", ['*']],
])('an opening is found: %s', (source, found) => {
  expect(opensBy(source)).toEqual(found);
});
