/** The page "Federation and stitching": what it says of the schema. Its files are those of `examples/federation`. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { entityKeysOf } from '../../src/graphql/federation/keys.ts';
import { subgraphSdl } from '../../src/graphql/federation/sdl.ts';
import { sectionOf } from '../support/docs.ts';
import { runProcess } from '../support/process.ts';
import { schema } from '../support/schema.ts';

const root = join(import.meta.dirname, '../..');
const project = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
const section = sectionOf('Federation and stitching');

test('it names the version of graphql-js of the project', () => {
  expect(section).toContain(`need graphql-js ${project.dependencies.graphql.split('.')[0]}`);
});

test('the schema that composers read can be printed', async () => {
  const [, script = ''] = /`npm run --silent (\w+) > /.exec(section) ?? [];
  const [program, file, ...rest] = project.scripts[script].split(' ');
  expect(program).toBe('node');
  expect((await runProcess(file, rest, {})).stdout).toBe(subgraphSdl(schema));
});

test('the keys in the table are those of the schema', () => {
  const rows = [...section.matchAll(/^\| (`\w+`.*) \| (`\w+`.*) \|$/gm)];
  const named = rows.flatMap(([, types = '', keys = '']) =>
    [...types.matchAll(/`(\w+)`/g)].map(
      ([, type = '']) => [type, [...keys.matchAll(/`(\w+)`/g)].map(([, key]) => key)] as const,
    ),
  );
  expect(named.length).toBeGreaterThan(5);
  for (const [type, keys] of named) expect(entityKeysOf(schema.getType(type)), type).toEqual(keys);
});
