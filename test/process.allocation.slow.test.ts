/**
 * What a request allocates in JavaScript, and what of it becomes old, which other load on the machine does not change: a
 * promise, a closure or a copy more for each request shows here. `node test/bench/allocation.ts few` says where it is allocated.
 */
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'undici';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { forkModule, messageOf } from './bench/children.ts';
import { allocating } from './bench/operations.ts';
import { allocatedIn, ask } from './bench/probing.ts';
import { type Running, startTarget } from './bench/targets.ts';

/** KiB per request: a quarter above what was measured. */
const bounds = { all: 100, few: 94, aliases: 106, nested: 220, mutation: 95, refused: 56 } as const;

/** Until the compilers of V8 have seen what is hot, twice as much is allocated. */
const warmUps = 2_000;
const measured = 500;
/** As many as allocate what several scavenges collect. */
const watched = 3_000;

let directory: string;
let upstream: ChildProcess;
let upstreamUrl: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'postern-allocation-'));
  upstream = forkModule({ file: join(import.meta.dirname, 'bench/stub.ts'), logFile: join(directory, 'stub') }, 'rest');
  upstreamUrl = (await messageOf(upstream)) as string;
}, 60_000);

afterAll(async () => {
  upstream.kill();
  await rm(directory, { recursive: true, force: true });
});

async function start(name: string): Promise<Running> {
  const gateway = await startTarget('postern', upstreamUrl, await mkdtemp(join(directory, name)));
  onTestFinished(() => {
    gateway.process.kill();
  });
  return gateway;
}

let sent = 0;

async function send(gateway: Running, name: keyof typeof bounds, count: number, connections = 8): Promise<void> {
  const { text: query, prefix } = allocating[name];
  const { origin, pathname } = new URL(gateway.url);
  const headers = { 'content-type': 'application/json', 'x-api-key': gateway.key };
  let left = count;
  const statuses = new Set<number>();
  const one = async () => {
    const client = new Client(origin);
    while (left > 0) {
      left -= 1;
      sent += 1;
      const body = JSON.stringify({ query, variables: { of: prefix + String(sent).padStart(9, '0') } });
      const response = await client.request({ method: 'POST', path: pathname, headers, body });
      statuses.add(response.statusCode);
      await response.body.dump({ limit: 1_000_000 });
    }
    await client.close();
  };
  await Promise.all(Array.from({ length: connections }, one));
  // What is refused because of the load allocates less.
  expect([...statuses]).toEqual([200]);
}

const names = Object.keys(bounds) as (keyof typeof bounds)[];

test.each(names.map((name) => [name, bounds[name]] as const))(
  'a request (%s) allocates at most %d KiB',
  { timeout: 300_000 },
  async (name, bound) => {
    const gateway = await start(name);
    await send(gateway, name, warmUps);
    await ask(gateway.process, 'sample');
    await send(gateway, name, measured);
    const allocated = allocatedIn(await ask(gateway.process, 'sampled')) / measured / 1_024;
    expect(allocated).toBeLessThan(bound);
    // A bound far above says nothing.
    expect(allocated).toBeGreaterThan(bound / 2);
  },
);

// Objects that are old and dead keep all that they refer to until a major collection, and whole requests may hang on one.
test.each(names)(
  'of what a request (%s) allocates, less than 2 KiB becomes old',
  { timeout: 300_000 },
  async (name) => {
    const gateway = await start(name);
    await send(gateway, name, warmUps, 32);
    await ask(gateway.process, 'watch');
    await send(gateway, name, watched, 32);
    const { scavenges, bytes } = await ask(gateway.process, 'promoted');
    expect(scavenges).toBeGreaterThan(1);
    expect(bytes / watched).toBeLessThan(2_048);
  },
);
