/**
 * The schema of the last release, without descriptions. `npm run schema:release` writes it: a change of the schema is held against it.
 * With `-- --breaking`, it writes what has broken since then into the change log.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema, findBreakingChanges, parse, print, visit } from 'graphql';

const root = join(import.meta.dirname, '../..');
const file = join(root, 'test/repo/schema.released.graphql');

/** A schema without its descriptions. */
const withoutDescriptions = (sdl: string): string =>
  print(
    visit(parse(sdl), { enter: (node) => ('description' in node ? { ...node, description: undefined } : undefined) }),
  );

/** The schema as it is now, as it was released, and the version of that release. */
export function schemas(): { readonly now: string; readonly released: string; readonly version: string } {
  const [, version = '', released = ''] = /^# Version (\S+)\n([\s\S]*)\n$/.exec(readFileSync(file, 'utf8')) ?? [];
  return { now: withoutDescriptions(readFileSync(join(root, 'schema.graphql'), 'utf8')), released, version };
}

/** What has broken since the last release, in the words of graphql-js. */
const breaking = ({ now, released } = schemas()): string =>
  findBreakingChanges(buildSchema(released), buildSchema(now))
    .map(({ description }) => `- ${description}\n`)
    .sort()
    .join('');

if (import.meta.main) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  if (process.argv.includes('--breaking')) {
    const log = join(root, 'CHANGELOG.md');
    const list = /(?<=^### Breaking\n\n)(?:- .*\n)*/m;
    writeFileSync(
      log,
      readFileSync(log, 'utf8').replace(list, () => breaking()),
    );
  } else writeFileSync(file, `# Version ${version}\n${schemas().now}\n`);
}
