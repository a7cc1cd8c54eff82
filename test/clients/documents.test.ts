/** Every document of the pages and of `examples/` compiles with GraphQL Code Generator, gql.tada and Relay. */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { generate } from '@graphql-codegen/cli';
import { preset } from '@graphql-codegen/client-preset';
import { type DefinitionNode, isUnionType, Kind, print, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import { describe, expect, onTestFinished, test } from 'vitest';
import { codeBlocks, sectionOf, snippet } from '../support/docs.ts';
import { documentationUnits, type Unit, unitOf } from '../support/documents.ts';
import { schema } from '../support/schema.ts';

const schemaFile = join(import.meta.dirname, '../../schema.graphql');
const tadaModules = join(import.meta.dirname, 'gql-tada/node_modules');
const relayCompiler = createRequire(import.meta.url).resolve('relay-compiler/cli.js');

// Its types are in the packages of the example, which need not be installed.
const { default: codegen } = await import(
  pathToFileURL(join(import.meta.dirname, '../../examples/node/codegen.ts')).href
);

const units = documentationUnits();
/** The documents that are not written for Relay. */
const plain = units.filter(({ isForRelay }) => !isForRelay);
/** What no client compiles. */
const broken = unitOf('broken', ['query Broken { viewer { shoeSize } }']);

/** A folder with the schema and the files. */
async function project(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'postern-documents-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await copyFile(schemaFile, join(folder, 'gateway.graphql'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

/** Runs a command of a package in a folder. @throws Error with what it prints, if it fails */
async function run(folder: string, command: string, ...args: readonly string[]): Promise<void> {
  await promisify(execFile)(process.execPath, [command, ...args], { cwd: folder }).catch(
    ({ stdout, stderr }: { stdout: string; stderr: string }) => {
      throw new Error(stdout + stderr);
    },
  );
}

const nameOf = (definition: DefinitionNode): string => {
  if (definition.kind !== Kind.OPERATION_DEFINITION && definition.kind !== Kind.FRAGMENT_DEFINITION)
    throw new Error(`${definition.kind} is no document`);
  if (definition.name === undefined) throw new Error(`Name the operation ${print(definition)}`);
  return definition.name.value;
};

/** The fragments that a definition spreads. */
function spreadsOf(definition: DefinitionNode): string[] {
  const names = new Set<string>();
  visit(definition, { FragmentSpread: ({ name }) => void names.add(name.value) });
  return [...names];
}

describe('GraphQL Code Generator', () => {
  /** Generates with the configuration of the documentation. @returns the generated types */
  async function compile({ definitions }: Unit): Promise<string> {
    const folder = await project({});
    const files: { filename: string; content: string }[] = await generate(
      {
        schema: schemaFile,
        documents: definitions.map(print),
        silent: true,
        generates: { [`${folder}/`]: { ...codegen.generates['gql/'], preset } },
      },
      false,
    );
    return files.find(({ filename }) => filename.endsWith('graphql.ts'))?.content ?? '';
  }

  test.each(plain)('compiles $name', async (unit) => {
    const generated = await compile(unit);
    for (const definition of unit.definitions) expect(generated).toContain(`export const ${nameOf(definition)}`);
  });

  test('would refuse a field that the schema does not have', async () => {
    await expect(compile(broken)).rejects.toThrow('shoeSize');
  });
});

/** A definition for each tag, as both clients below want it: a tag gets the fragments that it spreads. */
const inOrder = ({ definitions }: Unit): DefinitionNode[] => {
  const done = new Map<string, DefinitionNode>();
  const add = (definition: DefinitionNode): void => {
    for (const name of spreadsOf(definition)) {
      const fragment = definitions.find((other) => nameOf(other) === name);
      if (fragment !== undefined && !done.has(name)) add(fragment);
    }
    done.set(nameOf(definition), definition);
  };
  for (const definition of definitions) add(definition);
  return [...done.values()];
};

describe('gql.tada', () => {
  const setUp = `import { initGraphQLTada } from 'gql.tada';
import type { introspection } from './graphql-env.d.ts';
export const graphql = initGraphQLTada<{
  introspection: introspection;
  scalars: { Currency: string; DateTime: string; JSON: unknown };
}>();
/** False for a document that gql.tada could not type. */
export type IsTyped<Result> = unknown extends Result ? false : Result extends object ? true : false;
`;
  const programOf = (unit: Unit): string =>
    [
      "import type { ResultOf } from 'gql.tada';",
      "import { graphql, type IsTyped } from './graphql.js';",
      ...inOrder(unit).flatMap((definition) => [
        `export const ${nameOf(definition)} = graphql(\`${print(definition)}\`, [${spreadsOf(definition)}]);`,
        ...(definition.kind === Kind.OPERATION_DEFINITION
          ? [`true satisfies IsTyped<ResultOf<typeof ${nameOf(definition)}>>;`]
          : []),
      ]),
    ].join('\n');
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    module: 'nodenext',
    types: [],
    plugins: [{ name: 'gql.tada/ts-plugin', schema: './gateway.graphql', tadaOutputLocation: './graphql-env.d.ts' }],
  };

  /** Checks the documents as an editor does, and then the types that follow from them. */
  async function compile(all: readonly Unit[]): Promise<void> {
    const folder = await project({
      ...Object.fromEntries(all.map((unit, index) => [`unit${index}.ts`, `// ${unit.name}\n${programOf(unit)}\n`])),
      'graphql.ts': setUp,
      'package.json': JSON.stringify({ type: 'module' }),
      'tsconfig.json': JSON.stringify({ compilerOptions, include: ['*.ts'] }),
    });
    await symlink(tadaModules, join(folder, 'node_modules'));
    await run(folder, join(tadaModules, 'gql.tada/bin/cli.js'), 'generate-output');
    await run(folder, join(tadaModules, 'gql.tada/bin/cli.js'), 'check', '--fail-on-warn');
    await run(folder, join(tadaModules, 'typescript/bin/tsc'), '-p', '.');
  }

  test('compiles them', () => compile(plain));

  test('would refuse a field that the schema does not have', async () => {
    await expect(compile([broken])).rejects.toThrow('shoeSize');
  });
});

describe('Relay', () => {
  /** Names begin with that of the file. */
  const named = (module: string, definition: DefinitionNode): DefinitionNode =>
    visit(definition, {
      Name(node, _key, parent) {
        if (parent === undefined || !('kind' in parent)) return undefined;
        if (parent.kind === Kind.OPERATION_DEFINITION)
          return { ...node, value: `${module}${node.value}${suffixes[parent.operation]}` };
        const isOfFragment = parent.kind === Kind.FRAGMENT_DEFINITION || parent.kind === Kind.FRAGMENT_SPREAD;
        return isOfFragment ? { ...node, value: `${module}_${node.value}` } : undefined;
      },
    });
  const suffixes = { query: 'Query', mutation: 'Mutation', subscription: 'Subscription' } as const;

  /** With `@alias` at the spreads that the page about Relay says it for: those into a list or result of several types. */
  function aliased(definition: DefinitionNode, { definitions }: Unit): DefinitionNode {
    const types = new TypeInfo(schema);
    const typeOf = (name: string) =>
      definitions.flatMap((other) =>
        other.kind === Kind.FRAGMENT_DEFINITION && other.name.value === name ? other.typeCondition.name.value : [],
      )[0];
    const alias = { kind: Kind.DIRECTIVE, name: { kind: Kind.NAME, value: 'alias' } } as const;
    return visit(
      definition,
      visitWithTypeInfo(types, {
        FragmentSpread(spread) {
          const parent = types.getParentType();
          const isCertain = !isUnionType(parent) || typeOf(spread.name.value) === parent.name;
          return isCertain ? undefined : { ...spread, directives: [alias] };
        },
      }),
    );
  }

  /** @returns the names of the artifacts */
  async function compile(all: readonly Unit[]): Promise<string[]> {
    const sources = all.map((unit, index) => [
      `unit${index}.ts`,
      `import { graphql } from 'react-relay';\n${unit.definitions
        .map((definition) => (unit.isForRelay ? definition : aliased(definition, unit)))
        .map((definition) => `graphql\`${print(named(`unit${index}`, definition))}\`;`)
        .join('\n')}\n`,
    ]);
    return compileFiles(Object.fromEntries(sources));
  }

  /** Compiles with the configuration of the documentation. @returns the names of the artifacts */
  async function compileFiles(files: Readonly<Record<string, string>>): Promise<string[]> {
    const config = { ...JSON.parse(snippet('Relay', 'json')), src: '.', artifactDirectory: '__generated__' };
    const folder = await project({ ...files, 'relay.config.json': JSON.stringify(config) });
    await mkdir(join(folder, '__generated__'));
    await run(folder, relayCompiler, '--noWatchman');
    return readdir(join(folder, '__generated__'));
  }

  test('compiles them', async () => {
    const artifacts = await compile(units);
    expect(artifacts).toHaveLength(units.flatMap(({ definitions }) => definitions).length);
  });

  test('would refuse a field that the schema does not have', async () => {
    await expect(compile([broken])).rejects.toThrow('shoeSize');
  });

  test('compiles the directives of lists that no document has', async () => {
    const edge = '@prependNode(connections: $lists, edgeTypeName: "DeliveryEdge")';
    await compile([
      unitOf('mutation', [
        `mutation Emit($input: EmitEventInput!, $lists: [ID!]!) {
          emitEvent(input: $input) { ... on EventEmitted { deliveries ${edge} { id } } }
        }`,
        `mutation Delete($input: DeleteWebhookInput!, $lists: [ID!]!) {
          deleteWebhook(input: $input) {
            ... on WebhookDeleted { deletedId @deleteEdge(connections: $lists) @deleteRecord }
          }
        }`,
      ]),
    ]);
  });

  test('would refuse the feed of its page without @alias', async () => {
    const [posts = ''] = codeBlocks(sectionOf('Relay'), 'ts').filter((code) => code.includes('// src/posts.ts'));
    expect(await compileFiles({ 'posts.ts': posts })).toContain('posts_list.graphql.ts');
    await expect(compileFiles({ 'posts.ts': posts.replace(' @alias', '') })).rejects.toThrow(
      'Expected `@alias` directive',
    );
  });
});
