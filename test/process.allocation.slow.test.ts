/**
 * What a request allocates in JavaScript, and what of it scavenges make old, which other load on the machine does not change: a
 * promise, a closure or a copy more for each request shows here. `node test/bench/allocation.ts few` says where it is allocated.
 */
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { forkModule, messageOf } from './bench/children.ts';
import { allocating } from './bench/operations.ts';
import { allocatedIn, ask } from './bench/probing.ts';
import { type Running, startTarget } from './bench/targets.ts';

/** KiB per request: a quarter above what was measured. */
const bounds = { all: 89, few: 75, aliases: 84, nested: 201, mutation: 73, refused: 35 } as const;

/** Until the compilers of V8 have seen what is hot, twice as much is allocated. */
const warmUps = 2_000;
const measured = 500;
/** As many as allocate what several scavenges collect. */
const watched = 3_000;

const children: ChildProcess[] = [];
let directory: string;
let stub: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'postern-allocation-'));
  const child = forkModule(
    { file: join(import.meta.dirname, 'bench/stub.ts'), logFile: join(directory, 'stub') },
    'rest',
  );
  children.push(child);
  stub = (await messageOf(child)) as string;
}, 60_000);

afterAll(async () => {
  for (const child of children) child.kill();
  await rm(directory, { recursive: true, force: true });
});

async function start(name: string): Promise<Running> {
  const gateway = await startTarget('postern', stub, await mkdtemp(join(directory, name)));
  children.push(gateway.process);
  return gateway;
}

let sent = 0;

interface Load {
  readonly text: string;
  readonly prefix: string;
}

async function send(gateway: Running, count: number, { text: query, prefix }: Load, connections = 8): Promise<void> {
  const { origin, pathname } = new URL(gateway.url);
  const headers = { 'content-type': 'application/json', 'x-api-key': gateway.key };
  let left = count;
  const one = async () => {
    const client = new Client(origin);
    while (left > 0) {
      left -= 1;
      sent += 1;
      const body = JSON.stringify({ query, variables: { of: prefix + String(sent).padStart(9, '0') } });
      const response = await client.request({ method: 'POST', path: pathname, headers, body });
      await response.body.dump({ limit: 1_000_000 });
    }
    await client.close();
  };
  await Promise.all(Array.from({ length: connections }, one));
}

test.each(Object.entries(bounds))(
  'a request (%s) allocates at most %d KiB',
  { timeout: 300_000 },
  async (name, bound) => {
    const operation = allocating[name as keyof typeof bounds];
    const gateway = await start(name);
    await send(gateway, warmUps, operation);
    await ask(gateway.process, 'sample');
    await send(gateway, measured, operation);
    const allocated = allocatedIn(await ask(gateway.process, 'sampled')) / measured / 1_024;
    expect(allocated).toBeLessThan(bound);
    // A bound far above says nothing.
    expect(allocated).toBeGreaterThan(bound / 2);
    gateway.process.kill();
  },
);

// Objects that are old and dead keep all that they refer to until a major collection, and whole requests may hang on one.
test.each(Object.keys(bounds))(
  'of what a request (%s) allocates, less than 2 KiB is made old',
  { timeout: 300_000 },
  async (name) => {
    const operation = allocating[name as keyof typeof bounds];
    const gateway = await start(name);
    await send(gateway, warmUps, operation, 32);
    await ask(gateway.process, 'watch');
    await send(gateway, watched, operation, 32);
    expect((await ask(gateway.process, 'promoted')) / watched).toBeLessThan(2_048);
    gateway.process.kill();
  },
);
