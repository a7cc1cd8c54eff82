/** schema.graphql is a file for other tools: the libraries that these use read it, in old and new versions and other languages. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const file = join(import.meta.dirname, '../../schema.graphql');
const text = readFileSync(file, 'utf8');
const load = createRequire(join(import.meta.dirname, 'parsers/package.json'));

interface Library {
  readonly version: string;
  buildSchema(text: string): object;
  validateSchema(schema: object): readonly Error[];
  printSchema(schema: object): string;
}

/** graphql-js, by the names of parsers/package.json. */
const versions = ['graphql-15', 'graphql-16-0', 'graphql-16-8', 'graphql-17'];

test.each(versions)('%s builds the schema, finds no fault, and reads what it prints of it', (name) => {
  const library = load(name) as Library;
  expect(library.version).toContain(/\d+/.exec(name)?.[0]);
  const schema = library.buildSchema(text);
  expect(library.validateSchema(schema)).toEqual([]);
  expect(library.validateSchema(library.buildSchema(library.printSchema(schema)))).toEqual([]);
});

/** A program that prints how many types the schema has, with the library that it names. */
const others: Readonly<Record<string, readonly [command: string, args: readonly string[]]>> = {
  'graphql-core of Python': [
    'python3',
    [
      '-c',
      'import sys; from graphql import build_schema, validate_schema; s = build_schema(sys.stdin.read()); assert validate_schema(s) == []; print(len(s.type_map))',
    ],
  ],
  'graphql-ruby': [
    'ruby',
    ['-e', "require 'graphql'; s = GraphQL::Schema.from_definition($stdin.read); puts s.types.size"],
  ],
};
const probes: Readonly<Record<string, readonly string[]>> = {
  python3: ['-c', 'import graphql; graphql.build_schema'],
  ruby: ['-e', "require 'graphql'"],
};

describe.each(Object.entries(others))('%s', (name, [command, args]) => {
  const isMissing = spawnSync(command, probes[command]).status !== 0;
  test('reads the schema', ({ skip }) => {
    skip(isMissing, `${name} is not installed`);
    const types = Number(execFileSync(command, args, { input: text, encoding: 'utf8' }));
    expect(types).toBeGreaterThan(150);
  });
});
