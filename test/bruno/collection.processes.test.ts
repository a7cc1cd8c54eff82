/** The collection of `examples/bruno`, run by the command line of Bruno against a gateway with the demo workspace. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { brunoCollection, brunoFolder } from '../support/bruno.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

const bru = join(import.meta.dirname, 'node_modules/.bin/bru');

interface Result {
  readonly path: string;
  readonly response: { readonly status: number; readonly data: object };
  readonly assertionResults: readonly { readonly status: string }[];
}

let gateway: Gateway;
beforeAll(async () => {
  // Nothing that a request sends leaves the machine.
  gateway = await startGateway({ environment: { DEMO: 'on' }, delivery: { lookup: async () => [] } });
});
afterAll(() => gateway?.close());

async function run(key: string): Promise<{ code: number | null; output: string; results: readonly Result[] }> {
  const report = join(gateway.directory, 'report.json');
  const variables = [`url=${gateway.address}`, `key=${key}`].flatMap((each) => ['--env-var', each]);
  const args = ['run', '-r', '--env', 'local', ...variables, '--reporter-json', report];
  const child = spawn(bru, args, { cwd: brunoFolder, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  const [{ results }] = JSON.parse(await readFile(report, 'utf8'));
  return { code, output, results };
}

test('its packages are installed', () => {
  expect(existsSync(bru), 'npm ci --prefix test/bruno').toBe(true);
});

test('every request of it succeeds, in the order of the menu', async () => {
  const { code, output, results } = await run((await readFile(join(gateway.directory, 'demo-key'), 'utf8')).trim());
  expect(output).not.toContain('✕');
  expect(code).toBe(0);
  const files = [...(await brunoCollection()).keys()].filter((file) => /\/(?!folder|local)[^/]+\.bru$/.test(file));
  expect(results.map(({ path }) => `${path}.bru`)).toEqual(files);
  expect(results.flatMap(({ assertionResults }) => assertionResults).length).toBeGreaterThan(files.length);
  const ofData = results.map(({ path, response }) => [path, response.status, Object.keys(response.data)]);
  expect(ofData).toContainEqual(['Start here/WhoAmI', 200, ['data']]);
  expect(ofData).toContainEqual(['REST/Create a webhook', 201, ['object', 'webhook_id']]);
});

test('a request that fails is told', async () => {
  const { code, output, results } = await run('no-key');
  expect(code).toBe(1);
  expect(output).toContain('expected 401 to equal 200');
  expect(new Set(results.map(({ response }) => response.status))).toEqual(new Set([401]));
});
