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

interface Loaded {
  readonly modules: readonly string[];
  /** How often what Node.js has read from its cache of compiled modules was dropped. */
  readonly flushes: number;
  readonly youngBytes: number;
}

/** Asks for what no service is needed for. */
async function loadedBy(environment: Readonly<Record<string, string>>): Promise<Loaded> {
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
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ __typename }' }),
  });
  expect(await response.text()).toContain('"Query"');
  gateway.child.kill();
  await gateway.ended;
  return JSON.parse(await readFile(file, 'utf8'));
}

describe.each(kinds)('a process that is %s', (kind, environment) => {
  let gateway: Loaded;
  const loaded = (pattern: RegExp) => gateway.modules.filter((module) => pattern.test(module));

  beforeAll(async () => {
    // The first start compiles what the second takes from the cache.
    await loadedBy(environment);
    gateway = await loadedBy(environment);
  });

  test('loads at most 1,500 files', () => {
    // A bound far above says nothing.
    expect(loaded(/^file:/).length).toBeLessThan(1_500);
    expect(loaded(/^file:/).length).toBeGreaterThan(1_250);
  });

  test('searches for no file that an import names by its path', () => {
    expect(loaded(/^searched /)).toEqual([]);
  });

  test('loads no compiler of types', () => {
    expect(loaded(/internal\/deps\/amaro\//)).toEqual([]);
    expect(loaded(/^NativeModule /).length).toBeGreaterThan(100);
  });

  test('loads nothing of Postgres with SQLite', () => {
    expect(loaded(/node_modules\/(?:pg|pgpass|pg-[a-z]+|postgres-[a-z]+)\//)).toEqual([]);
    expect(loaded(/src\/store\/(?:postgres|postgres-client|channels)\.ts$/)).toEqual([]);
  });

  test('loads nothing of undici that it does not use', () => {
    expect(loaded(/node_modules\/undici\/lib\/(?:web|cache|mock|interceptor)\//)).toEqual([]);
    // The first delivery loads it in embedded mode. Node's own comes with Yoga, which looks at the global Request.
    const pools = kind === 'embedded' ? 0 : 1;
    expect(loaded(/node_modules\/undici\/lib\/dispatcher\/pool\.js$/)).toHaveLength(pools);
  });

  test('keeps neither a large young generation nor compiled modules that it has read', () => {
    // It grows by the requests and the end of the process; that of a start alone is 2 MiB.
    expect(gateway.youngBytes).toBeLessThanOrEqual(12 * 2 ** 20);
    // About 30 on an idle machine. Where the first is slow, as on a busy one, it is taken for one that writes, and is the last.
    expect(gateway.flushes).toBeGreaterThan(0);
  });
});
