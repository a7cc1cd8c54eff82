/** The README's section "Composing": its files run as they stand there, but for the ports, and its query has its answer. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildHTTPExecutor } from '@graphql-tools/executor-http';
import { stitchSchemas } from '@graphql-tools/stitch';
import { schemaFromExecutor } from '@graphql-tools/wrap';
import { buildSchema, graphql as execute } from 'graphql';
import { describe, expect, onTestFinished, test } from 'vitest';
import { schema } from '../../src/capabilities/schema.ts';
import { entityKeysOf } from '../../src/graphql/federation/keys.ts';
import { subgraphSdl } from '../../src/graphql/federation/sdl.ts';
import { globalId } from '../../src/graphql/kit/node.ts';
import { startGateway } from '../support/gateway.ts';
import { runProcess } from '../support/process.ts';
import { curl } from '../support/servers.ts';

const root = join(import.meta.dirname, '../..');
const readme = await readFile(join(root, 'README.md'), 'utf8');
const project = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
const section = readme.slice(readme.indexOf('\n## Composing\n')).split('\n## ')[1] ?? '';
const blocks = (language: string) =>
  [...section.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, text = '']) => text);

/** The files, by the names in their first lines. */
const files = new Map(blocks('js').map((text) => [/^\/\/ (\S+)\n/.exec(text)?.[1] ?? '', text]));
const query = blocks('sh').find((text) => text.startsWith('curl ')) ?? '';
const answer: unknown = JSON.parse(blocks('json')[0] ?? '');

test('the section has the files of the recipe', () => {
  expect([...files.keys()]).toEqual(['owners.js', 'compose.js', 'hive-gateway.js', 'apollo-gateway.js']);
});

test('it names the packages that the files import, and no others', () => {
  const installed = [...section.matchAll(/npm install ([^`\n]+)/g)].flatMap(([, names = '']) => names.split(' '));
  const names = installed.map((name) => name.replace(/(?!^)@\d+$/, ''));
  const imported = [...files.values()].flatMap((text) =>
    [...text.matchAll(/ from '(?!node:)(@[^/]+\/[^/']+|[^/']+)/g)].map(([, name]) => name),
  );
  // Hive Gateway loads it for subgraphs that are reached over HTTP.
  expect(new Set(names)).toEqual(new Set([...imported, '@graphql-mesh/transport-http']));
});

test('it has the overrides of the project, and its version of graphql-js', () => {
  const { overrides, dependencies } = project;
  expect(JSON.parse(/echo '(.*)' > package\.json/.exec(section)?.[1] ?? '')).toEqual({ type: 'module', overrides });
  expect(section).toContain(`npm install graphql@${dependencies.graphql.split('.')[0]} `);
});

describe.skipIf(curl === undefined)('the recipe', () => {
  test.each(['hive-gateway.js', 'apollo-gateway.js'])('with %s', async (gatewayFile) => {
    const postern = await startGateway({ environment: { DEMO: 'on', FEDERATION: 'on', LOG_LEVEL: 'silent' } });
    onTestFinished(() => postern.close());
    const [owners, gateway] = [await freePort(), await freePort()];
    const here = (text: string) =>
      text
        .replaceAll('http://127.0.0.1:4000', postern.address)
        .replaceAll('4001', String(owners))
        .replaceAll('4002', String(gateway));
    // Below the modules of the project, which take the place of those that the recipe installs.
    await mkdir(join(root, 'node_modules/.cache'), { recursive: true });
    const folder = await mkdtemp(join(root, 'node_modules/.cache/postern-composing-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await mkdir(join(folder, '.data'));
    await writeFile(join(folder, '.data/demo-key'), await readFile(join(postern.directory, 'demo-key')));
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    for (const [name, text] of files) await writeFile(join(folder, name), here(text));

    serve(folder, 'owners.js');
    await responding(`http://127.0.0.1:${owners}/graphql`);
    await promisify(execFile)(process.execPath, ['compose.js'], { cwd: folder });
    const served = serve(folder, gatewayFile);
    await responding(`http://127.0.0.1:${gateway}/graphql`);
    const { stdout } = await promisify(execFile)('sh', ['-c', here(query)], { cwd: folder });
    expect(JSON.parse(stdout)).toEqual(answer);
    // A wrong key is refused in the words of the gateway behind.
    const refused = await promisify(execFile)('sh', ['-c', here(query).replace(/\$\(cat [^)]*\)/, 'wrong')], {
      cwd: folder,
    });
    expect(JSON.parse(refused.stdout)).toEqual({
      data: { account: null },
      errors: [
        expect.objectContaining({
          path: ['account'],
          extensions: expect.objectContaining({ code: 'INVALID_CREDENTIALS' }),
        }),
      ],
    });
    // So is each field of an operation, wherever it stands.
    const account = 'account(accountId: "pnet-----------------A") { name owner }';
    const several = `query ($yes: Boolean!) { ... @include(if: $yes) { me: ${account} } accounts { totalCount } }`;
    const response = await fetch(`http://127.0.0.1:${gateway}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer wrong' },
      body: JSON.stringify({ query: several, variables: { yes: true } }),
    });
    const { errors } = await response.json();
    expect(errors.map(({ path }: { path: string[] }) => path).sort()).toEqual([['accounts'], ['me']]);
    for (const { extensions } of errors) expect(extensions).toMatchObject({ code: 'INVALID_CREDENTIALS' });
    // Ctrl-C ends it.
    served.kill('SIGINT');
    await expect.poll(() => served.exitCode ?? served.signalCode, { timeout: 5_000 }).not.toBeNull();
  });
});

/** Runs a server until the test ends. */
function serve(folder: string, file: string): ChildProcess {
  const child = spawn(process.execPath, [file], { cwd: folder, stdio: 'ignore' });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    // Hive Gateway waits for connections that clients keep open.
    child.kill('SIGKILL');
    await ended;
  });
  return child;
}

async function responding(url: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}?query={__typename}`).catch(() => null);
    await response?.body?.cancel();
    if (response !== null) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return address.port;
}

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

test('a type that is merged from several schemas is stitched as the section says, in one request', async () => {
  const [, merge = ''] = /`merge: (\{.*\})`/.exec(section) ?? [];
  const gateway = await startGateway();
  onTestFinished(() => gateway.close());
  const { key, account } = await gateway.workspace();
  const ids = [await account({ name: 'A' }), await account({ name: 'B' })].map((accountId) =>
    globalId('Account', accountId),
  );
  const executor = buildHTTPExecutor({ endpoint: `${gateway.address}/graphql`, headers: { 'x-api-key': key } });
  const tasks = buildSchema('type Query { tasks: [Task] } type Task { account: Account } type Account { id: ID! }');
  const { tasks: field } = tasks.getQueryType()?.getFields() ?? {};
  if (field !== undefined) field.resolve = () => ids.map((id) => ({ account: { id } }));
  const stitched = stitchSchemas({
    subschemas: [
      { schema: await schemaFromExecutor(executor), executor, merge: new Function(`return ${merge}`)() },
      { schema: tasks },
    ],
  });
  const before = gateway.log.length;
  const { data, errors } = await execute({ schema: stitched, source: '{ tasks { account { name status } } }' });
  expect(errors).toBeUndefined();
  expect(data).toEqual({ tasks: [{ account: { name: 'A', status: 'OK' } }, { account: { name: 'B', status: 'OK' } }] });
  expect(gateway.log.slice(before).filter(({ path }) => path === '/graphql')).toHaveLength(1);
});
