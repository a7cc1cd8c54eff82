/** The package: built, packed, installed into an empty folder, started and imported. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { launch, openTab } from '../examples/page.ts';
import { buildPackage } from '../support/build-package.ts';
import { graphql, startGateway } from '../support/gateway.ts';
import { startProcess, temporaryDirectory } from '../support/process.ts';
import { chromium } from '../support/servers.ts';

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

/** Compiles a program of an empty project, runs it, and returns what it prints. */
async function compiled(code: string): Promise<string> {
  await writeFile(join(directory.path, 'package.json'), '{ "type": "module" }');
  await writeFile(join(directory.path, 'use.ts'), code);
  const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types'), '--skipLibCheck', '--strict'];
  const options = ['--ignoreConfig', '--noEmit', '--target', 'es2024', '--module', 'nodenext', ...types];
  await run(process.execPath, join(root, 'node_modules/typescript/bin/tsc'), 'use.ts', ...options);
  return run(process.execPath, 'use.ts');
}

test('it is imported, with its types', async () => {
  const printed = await compiled(`import { createGateway, type Gateway, type GatewayOptions } from 'postern';
const options: GatewayOptions = { databaseUrl: 'sqlite::memory:', demo: false, secret: 's'.repeat(32), logLevel: 'silent' };
const gateway: Gateway = await createGateway(options);
// @ts-expect-error it is misspelt
const wrong: GatewayOptions = { databaseURL: '' };
console.log((await gateway.fetch('/livez')).status, Object.keys(wrong).length);
await gateway.close();
`);
  expect(printed).toBe('200 1\n');
});

test('an adapter of a network is checked, and served', async () => {
  const printed =
    await compiled(`import { createGateway, type GatewayOptions, type PostProvider, ServiceError } from 'postern';
import { postProviderChecks } from 'postern/testing';
const MICROBLOG: PostProvider = {
  async listPosts({ token }, { identifier }, signal) {
    signal.throwIfAborted();
    if (token !== 'right') throw new ServiceError('invalid_credentials', { detail: 'The token is wrong.' });
    if (identifier !== 'ada') throw new ServiceError('invalid_recipient', { detail: 'Nobody has this name.' });
    return { items: [], cursor: null };
  },
};
const session = { accountId: 'a', type: 'MICROBLOG', token: 'right' } as const;
const access = { session, wrongToken: 'wrong', identifier: 'ada', unknownIdentifier: 'nobody' };
for (const { name, run } of postProviderChecks({ provider: MICROBLOG, ...access }))
  await run().catch(() => console.log('failed:', name));
const options: GatewayOptions = { databaseUrl: 'sqlite::memory:', secret: 's'.repeat(32), logLevel: 'silent' };
const gateway = await createGateway({ ...options, networks: { MICROBLOG } });
const id = await gateway.connectAccount({ workspace: 'Acme', type: 'MICROBLOG', token: 'right' });
// @ts-expect-error no account type has this name
const misspelt: GatewayOptions = { networks: { MICROBLOGS: MICROBLOG } };
console.log(id.length, await createGateway(misspelt).catch(({ message }) => message.split(':')[0]));
await gateway.close();
`);
  // The list is empty, for want of posts in its place.
  expect(printed).toBe(`failed: posts have the shape of their provider, and nothing else
22 networks.MICROBLOGS is no account type
`);
});

test('the client is imported, with the types of the schema', async () => {
  const printed =
    await compiled(`import { mergePages, possibleTypes, type PublishJobInput, verifyWebhook, type WebhookPayload } from 'postern/client';
const input: PublishJobInput = { accountId: 'a', jobId: '1', mode: 'FREE' };
// @ts-expect-error there is no such mode
const wrong: PublishJobInput = { ...input, mode: 'GRATIS' };
const { edges } = mergePages(null, { edges: [{ node: { id: 1 } }], pageInfo: { hasNextPage: false } }, ({ node }) => node.id);
const refused = await verifyWebhook({ headers: {}, body: '' }, 'whsec_AAAA').catch(({ code }) => code as string);
console.log(wrong.jobId, edges.length, possibleTypes.NetworkPost.length, refused satisfies string | { payload: WebhookPayload });
`);
  expect(printed).toBe('1 1 2 MISSING_HEADER\n');
});

const accountId = 'pnet-----------------A';
const vite = join(root, 'examples/access-token/node_modules/vite');

describe.skipIf(!existsSync(vite))('in a page that is built', () => {
  /** The script of a page, as Vite bundles it. */
  async function bundled(code: string): Promise<string> {
    await writeFile(
      join(directory.path, 'index.html'),
      '<!doctype html><script type="module" src="/page.js"></script>',
    );
    await writeFile(join(directory.path, 'page.js'), code);
    await run(process.execPath, join(vite, 'bin/vite.js'), 'build', '--outDir', 'site', '--emptyOutDir');
    const [script = ''] = await readdir(join(directory.path, 'site/assets'));
    return readFile(join(directory.path, 'site/assets', script), 'utf8');
  }

  test('a bundle has what the page uses, and nothing else of the package', async () => {
    const one = await bundled("import { retry } from 'postern/client'; window.page = retry;");
    expect(one).toContain('online');
    expect(one.length).toBeLessThan(2_500);
    expect(one).not.toMatch(/webhook|text\/event-stream|NetworkPost|possibleTypes/);
    const all = await bundled("import * as client from 'postern/client'; window.page = client;");
    expect(all).toContain('NetworkPost');
    expect(all.length).toBeLessThan(25_000);
  });

  test.skipIf(!chromium)('a page lists posts and follows deliveries with no copied file', async () => {
    const site = createServer(async ({ url = '/' }, response) => {
      response.setHeader('content-type', url.endsWith('.js') ? 'text/javascript' : 'text/html');
      response.end(await readFile(join(directory.path, 'site', url === '/' ? 'index.html' : url)).catch(() => ''));
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void site.close());
    const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    const gateway = await startGateway({ environment: { DEMO: 'on', CORS_ORIGINS: origin } });
    onTestFinished(() => gateway.close());
    const key = (await readFile(join(gateway.directory, 'demo-key'), 'utf8')).trim();
    await bundled(`import { readResult, sendOperation, skipFailed, watch } from 'postern/client';
const url = '${gateway.address}/graphql';
const headers = { 'x-api-key': '${key}' };
const query = '{ posts(accountId: "${accountId}", identifier: "ACoSandboxOdd") { nodes { ... on NetworkPost { text } } } }';
const { response, skipped } = skipFailed(await readResult(await sendOperation(url, { query }, { headers })));
const show = (text) => document.body.append(text, document.createElement('br'));
show('Read ' + response.data.posts.nodes.length + ', skipped ' + skipped.length);
const operation = { query: 'subscription { deliveryUpdated { state } }' };
const onConnected = () => show('Live');
for await (const { data } of watch(url, operation, { headers, onConnected })) show(data.deliveryUpdated.state);
`);
    const browser = await launch();
    onTestFinished(() => browser.close());
    const { page, complaints } = await openTab(await browser.newContext(), origin);
    const shown = () => page.locator('body').innerText();
    await expect.poll(shown).toMatch(/^Read [1-9]\d*, skipped [1-9]\d*\nLive/);
    const emit = `mutation { emitEvent(input: { accountId: "${accountId}", event: MESSAGE_RECEIVED }) { __typename } }`;
    await graphql(gateway.address, key, emit);
    await expect.poll(shown).toMatch(/SUCCEEDED/);
    expect(complaints).toEqual([]);
  });
});
