/** The package: built, packed, installed into an empty folder, started and imported. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildPackage } from '../support/build-package.ts';
import { graphql } from '../support/gateway.ts';
import { startProcess, temporaryDirectory } from '../support/process.ts';

const root = join(import.meta.dirname, '../..');

/** Bytes of what is downloaded: a third more than it takes. */
const maxPacked = 3_000_000;

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let packed: { readonly size: number; readonly filename: string; readonly files: readonly { readonly path: string }[] };

const run = async (command: string, ...args: string[]) =>
  (await promisify(execFile)(command, args, { cwd: directory.path, maxBuffer: 16_777_216 })).stdout;

beforeAll(async () => {
  directory = await temporaryDirectory();
  buildPackage();
  [packed] = JSON.parse(await run('npm', 'pack', join(root, 'dist'), '--json', '--silent'));
  await run('npm', 'install', `./${packed.filename}`, '--prefer-offline', '--no-audit', '--no-fund', '--silent');
}, 600_000);
afterAll(() => directory?.[Symbol.asyncDispose]());

test('it has what it serves, types and source maps, no tests, no TypeScript, and is small', () => {
  const paths = packed.files.map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining([
      ...['src/app/gateway.js', 'src/app/gateway.js.map', 'src/app/gateway.d.ts', 'src/splice/splice.wasm'],
      ...['docs/run/embed.md', 'docs/images/modes.svg', 'README.md', 'schema.graphql'],
    ]),
  );
  expect(paths.filter((path) => /(?<!\.d)\.ts$|(?:^|\/)(?:test|node_modules|\.data)\/|assembly/.test(path))).toEqual(
    [],
  );
  expect(packed.size).toBeLessThan(maxPacked);
  expect(packed.size).toBeGreaterThan(maxPacked / 2);
});

test('it brings no Node.js of its own, and is not published', async () => {
  const { default: own } = await import(join(directory.path, 'node_modules/postern/package.json'), {
    with: { type: 'json' },
  });
  expect(own).toMatchObject({ private: true, engines: { node: '>=22.19' }, bin: { postern: 'src/app/postern.js' } });
  expect(Object.keys(own)).not.toEqual(expect.arrayContaining(['optionalDependencies']));
  expect(Object.keys(own)).not.toEqual(expect.arrayContaining(['scripts']));
});

test('its command starts a gateway in an empty folder, with all of its pages', async () => {
  const command = relative(root, join(directory.path, 'node_modules/.bin/postern'));
  const gateway = startProcess(command, ['start'], { PORT: '0' }, directory.path);
  const [, address = ''] = await gateway.line(/(http:\/\/127\.0\.0\.1:\d+)\/graphql/);
  const [, token = ''] = await gateway.errorLine(/token=(\S+)/);
  const key = (await run('cat', '.data/demo-key')).trim();
  const { data } = await graphql(address, key, '{ viewer { name } webhooks { totalCount } }');
  expect(data.viewer).toEqual({ name: 'Demo key' });
  const pages = ['/docs', '/docs/run/embed', '/docs/images/modes.svg', '/webhooks', `/graphql?token=${token}`];
  for (const path of pages)
    expect((await fetch(address + path, { headers: { accept: 'text/html' } })).status, path).toBe(200);
  gateway.child.kill('SIGTERM');
  expect((await gateway.ended).code).toBe(0);
});

test('it is imported, with its types', async () => {
  await writeFile(
    join(directory.path, 'use.ts'),
    `import { createGateway, type Gateway, type GatewayOptions } from 'postern';
const options: GatewayOptions = { databaseUrl: 'sqlite::memory:', demo: false, secret: 's'.repeat(32), logLevel: 'silent' };
const gateway: Gateway = await createGateway(options);
// @ts-expect-error it is misspelt
const wrong: GatewayOptions = { databaseURL: '' };
console.log((await gateway.fetch('/livez')).status, Object.keys(wrong).length);
await gateway.close();
`,
  );
  const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types'), '--skipLibCheck', '--strict'];
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  await writeFile(join(directory.path, 'package.json'), '{ "type": "module" }');
  await run(
    process.execPath,
    tsc,
    'use.ts',
    '--ignoreConfig',
    '--noEmit',
    '--target',
    'es2024',
    '--module',
    'nodenext',
    ...types,
  );
  expect(await run(process.execPath, 'use.ts')).toBe('200 1\n');
});
