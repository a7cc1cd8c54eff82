/** The programs under the tabs of operations in the documentation: each runs as it is shown, with the key in POSTERN_KEY. */
import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addressesOfPages } from '../../src/pages/docs/page.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { curl } from '../support/servers.ts';
import { projectFolder } from './project-folder.ts';

let gateway: Gateway;
let folder: string;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  gateway = await startGateway({ environment: { LOG_LEVEL: 'silent', DEMO: 'on' } });
  env = { ...process.env, POSTERN_KEY: (await readFile(join(gateway.directory, 'demo-key'), 'utf8')).trim() };
  folder = await projectFolder('tabs');
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
});
afterAll(async () => {
  await gateway.close();
  await rm(folder, { recursive: true });
});

/** The panels of an operation by their names, with the gateway's address as a browser puts it in. */
async function operationsOf(page: string): Promise<Readonly<Record<string, string>>[]> {
  const html = await (await fetch(gateway.address + page)).text();
  return [...html.matchAll(/<div class="code" data-origin="([^"]+)">(.*?)<div class="tools">/gs)].map(
    ([, origin = '', block = '']) => {
      const panels = [...block.matchAll(/data-tab="(\w+)"[^>]*><code>(.*?)<\/code>/gs)];
      return Object.fromEntries(
        panels.map(([, name, code = '']) => [name, textOf(code).replaceAll(origin, gateway.address)]),
      );
    },
  );
}

const characters: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#x27': "'", amp: '&' };
const textOf = (html: string): string =>
  html.replaceAll(/<[^<>]*>/g, '').replaceAll(/&(#?\w+);/g, (_, name) => characters[name] ?? '');

/** Of a subscription, what it writes until it is stopped. */
async function outputOf(program: string, args: string[], isSubscription: boolean): Promise<string> {
  const options = { env, cwd: folder, ...(isSubscription ? { timeout: 5_000 } : {}) };
  return promisify(execFile)(program, args, options).then(
    ({ stdout }) => stdout,
    (error) => {
      if (!isSubscription || error.stderr !== '') throw error;
      return error.stdout;
    },
  );
}

it('run', { timeout: 180_000 }, async () => {
  const operations = (await Promise.all(addressesOfPages.map(({ address }) => operationsOf(address)))).flat();
  expect(operations.length).toBeGreaterThanOrEqual(9);
  for (const [at, { GraphQL = '', curl: command = '', ...modules }] of operations.entries()) {
    const isSubscription = GraphQL.startsWith('subscription');
    const outputs = await Promise.all([
      ...Object.entries(modules).map(async ([name, text]) => {
        const file = join(folder, `${name}-${at}.js`);
        await writeFile(file, text);
        return outputOf(process.execPath, [file], isSubscription);
      }),
      ...(curl === undefined ? [] : [outputOf('sh', ['-c', command], isSubscription)]),
    ]);
    expect(Object.keys(modules)).toEqual(['fetch', 'client']);
    for (const output of outputs) {
      if (isSubscription) expect(output).not.toContain('errors:');
      else expect(output, GraphQL).toMatch(/^\{\s*"?data"?: ?\{/);
      expect(output, GraphQL).not.toMatch(/errors"?: ?\[/);
    }
  }
});
