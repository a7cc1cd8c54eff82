/** GraphiQL's snippets: what is copied runs as it is, has types, and contains no API key. */
import { execFile } from 'node:child_process';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { generate } from '@graphql-codegen/cli';
import { preset } from '@graphql-codegen/client-preset';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { client, curl, go, javaScript, python, typeScript } from '../../src/pages/graphiql/browser/snippets.js';
import { examples } from '../../src/pages/graphiql/examples.ts';
import { exampleOperation } from '../support/examples.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { curl as curlPath, hasGo, hasPython } from '../support/servers.ts';
import { projectFolder } from './project-folder.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));

let gateway: Gateway;
let url: string;
let folder: string;
/** The environment of a user who has the key in POSTERN_KEY. */
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  gateway = await startGateway();
  url = `${gateway.address}/graphql`;
  env = { ...process.env, POSTERN_KEY: (await gateway.workspace()).key };
  folder = await projectFolder('snippets');
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
});
afterAll(async () => {
  await gateway.close();
  await rm(folder, { recursive: true });
});

/** Everything that a language could take for its own. */
const awkward = {
  query: `# Above the operation.
query Awkward($id: ID!) { # it's \`here\`, "\${this}", """quoted""" \\ and $HOME
  viewer { name }
  account(accountId: $id) { name }
}`,
  variables: { id: 'no-such-account------A', unused: 'it\'s `here`, "this", """true""" \\ and $HOME' },
};

const two = { query: 'query First { viewer { name } }\nquery Second { __typename }', variables: {} };

/** What a program writes to its output. */
async function outputOf(program: string, ...args: string[]): Promise<string> {
  return (await run(program, args, { env, cwd: folder })).stdout;
}

async function outputOfModule(text: string): Promise<string> {
  const file = join(folder, 'snippet.js');
  await writeFile(file, text);
  return outputOf(process.execPath, file);
}

describe.skipIf(curlPath === undefined)('curl', () => {
  it.each([awkward, two])('sends the operation from a shell', async (operation) => {
    const { data, errors } = JSON.parse(await outputOf('sh', '-c', curl({ url, ...operation })));
    expect(errors).toBeUndefined();
    expect(data.viewer.name).toBe('test');
  });

  it('keeps the connection open for the results of a subscription', async () => {
    const accountId = 'no-such-account------A';
    const query = 'subscription Watch($ids: [ID!]!) { accountUpdated(accountIds: $ids) { status } }';
    const output = await outputOf('sh', '-c', curl({ url, query, variables: { ids: [accountId] } }));
    expect(output).toMatch(/^event: next\ndata: .*RESOURCE_NOT_FOUND/m);
  });
});

describe.each([
  ['fetch', javaScript],
  ['postern/client', client],
])('%s', (_name, snippet) => {
  it.each([awkward, two])('sends the operation from Node.js', async (operation) => {
    const output = await outputOfModule(snippet({ url, ...operation }));
    expect(output).toMatch(/viewer: \{ name: 'test' \}.*undefined/s);
  });

  it('subscribes', async () => {
    const query = 'subscription Watch { accountUpdated(accountIds: ["no-such-account------A"]) { status } }';
    const output = await outputOfModule(snippet({ url, query, variables: {} })).catch(({ stderr }) => stderr);
    expect(output).toContain('RESOURCE_NOT_FOUND');
  });
});

describe('TypeScript', () => {
  it('has the types that GraphQL Code Generator makes of it, for every example', async () => {
    const source = join(folder, 'src');
    await mkdir(source);
    const texts = await Promise.all(
      examples.map(async (example) =>
        typeScript({ url, query: await exampleOperation(example), variables: example.variables }),
      ),
    );
    await Promise.all(examples.map(({ name }, index) => writeFile(join(source, `${name}.ts`), texts[index] as string)));
    for (const name of ['feedURLs', 'HTTPStatus', 'get_posts', '_v2Beta', 'ABC', 'x']) {
      const text = typeScript({ url, query: `query ${name} { viewer { name } }`, variables: {} });
      await writeFile(join(source, `named-${name}.ts`), text);
    }
    await generate(
      {
        schema: join(root, 'schema.graphql'),
        documents: join(source, '*.ts'),
        silent: true,
        generates: { [`${join(source, 'gql')}/`]: { preset, config: { useTypeImports: true } } },
      },
      true,
    );
    expect(await readdir(join(source, 'gql'))).toContain('graphql.ts');
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        extends: join(root, 'tsconfig.json'),
        compilerOptions: { lib: ['es2024', 'dom'] },
        include: ['src/*.ts'],
        exclude: [],
      }),
    );
    const problems = await run(join(root, 'node_modules/.bin/tsc'), ['-p', folder], { cwd: folder }).then(
      () => '',
      ({ stdout }) => stdout,
    );
    expect(problems).toBe('');
  });

  it('needs an operation with a name', () => {
    expect(() => typeScript({ url, query: '{ viewer { name } }', variables: {} })).toThrow('name');
  });
});

const otherLanguages = [
  { language: 'Python', isHere: hasPython, snippet: python, file: 'snippet.py', command: ['python3'] },
  { language: 'Go', isHere: hasGo, snippet: go, file: 'snippet.go', command: ['go', 'run'] },
] as const;

describe.each(otherLanguages)('$language', ({ isHere, snippet, file, command: [program, ...options] }) => {
  const outputOfSnippet = async (operation: Omit<Parameters<typeof python>[0], 'url'>) => {
    await writeFile(join(folder, file), snippet({ url, ...operation }));
    return outputOf(program, ...options, join(folder, file));
  };
  it.skipIf(!isHere).each([awkward, two])('sends the operation', async (operation) => {
    const { data, errors } = JSON.parse(await outputOfSnippet(operation));
    expect(errors).toBeUndefined();
    expect(data.viewer.name).toBe('test');
  });

  it.skipIf(!isHere)('sends every kind of value', async () => {
    const query =
      'query Values($first: Int!, $on: Boolean!, $after: String) { accounts(first: $first, after: $after) @include(if: $on) { nodes { name } } }';
    const { data } = JSON.parse(await outputOfSnippet({ query, variables: { first: 1, on: true, after: null } }));
    expect(data.accounts.nodes).toEqual([]);
  });

  it.skipIf(!isHere)('subscribes', async () => {
    const query = 'subscription Watch { accountUpdated(accountIds: ["no-such-account------A"]) { status } }';
    expect(await outputOfSnippet({ query, variables: {} })).toContain('RESOURCE_NOT_FOUND');
  });
});

it('contains no key, but the name of its variable', () => {
  for (const snippet of [curl, javaScript, client, typeScript, python, go]) {
    expect(snippet({ url, ...two })).toMatch(/POSTERN_KEY/);
  }
});
