/** What a process loads until its first response: each module costs time and memory, whatever else the machine does. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { startProcess, temporaryDirectory } from './support/process.ts';

const hook = join(import.meta.dirname, 'support/loaded-modules.js');

const kinds = [
  ['embedded', {}],
  ['in proxy mode', { UPSTREAM_URL: 'http://127.0.0.1:1', UPSTREAM_API_KEY: 'key', SECRET: 's'.repeat(32) }],
] as const;

/** Asks for what no service is needed for. */
async function modulesOf(environment: Readonly<Record<string, string>>, accept = '*/*'): Promise<readonly string[]> {
  await using directory = await temporaryDirectory();
  const file = join(directory.path, 'modules.json');
  const gateway = startProcess('src/app/main.js', [], {
    PORT: '0',
    DATABASE_URL: `sqlite:${join(directory.path, 'postern.db')}`,
    NODE_OPTIONS: `--import ${hook}`,
    LOADED_MODULES: file,
    ...environment,
  });
  const [, address = ''] = await gateway.line(/(http:\/\/127\.0\.0\.1:\d+)\/graphql/);
  const response = await fetch(`${address}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept },
    body: JSON.stringify({ query: '{ __typename }' }),
  });
  expect(await response.text()).toContain('"Query"');
  gateway.child.kill();
  await gateway.ended;
  return JSON.parse(await readFile(file, 'utf8'));
}

describe.each(kinds)('a process that is %s', (_kind, environment) => {
  let modules: readonly string[];
  const loaded = (pattern: RegExp) => modules.filter((module) => pattern.test(module));

  beforeAll(async () => {
    // The first start compiles what the second takes from the cache.
    await modulesOf(environment);
    modules = await modulesOf(environment);
  });

  test('loads at most 1,080 files', () => {
    // A bound far above says nothing.
    expect(loaded(/^file:/).length).toBeLessThan(1_080);
    expect(loaded(/^file:/).length).toBeGreaterThan(850);
  });

  test('searches for no file that an import names by its path', () => {
    expect(loaded(/^searched /)).toEqual([]);
  });

  test('loads no compiler of types, and no second undici', () => {
    expect(loaded(/internal\/deps\/(?:amaro|undici)\//)).toEqual([]);
    expect(loaded(/^NativeModule /).length).toBeGreaterThan(100);
  });

  test('loads nothing of Postgres with SQLite', () => {
    expect(loaded(/node_modules\/(?:pg|pgpass|pg-[a-z]+|postgres-[a-z]+)\//)).toEqual([]);
    expect(loaded(/src\/store\/(?:postgres|postgres-client|channels)\.ts$/)).toEqual([]);
  });

  test('loads nothing of undici that it does not use', () => {
    expect(loaded(/node_modules\/undici\/lib\/(?:web|cache|mock|interceptor)\//)).toEqual([]);
    expect(loaded(/node_modules\/undici\/lib\/dispatcher\/pool\.js$/)).toHaveLength(1);
  });

  test('loads Yoga with the first stream only', async () => {
    expect(loaded(/node_modules\/graphql-yoga\//)).toEqual([]);
    const ofStream = await modulesOf(environment, 'text/event-stream');
    expect(ofStream.filter((module) => module.includes('node_modules/graphql-yoga/'))).not.toEqual([]);
  });
});
