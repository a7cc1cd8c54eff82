/** Real Redis servers in the states that only operations know: a node of a cluster, and a replica that was a primary. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createRedisStore } from '../../src/cache/redis-store.ts';

const hasServer = spawnSync('redis-server', ['--version']).status === 0;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

async function startServer(args: readonly string[] = []) {
  const directory = await mkdtemp(join(tmpdir(), 'postern-redis-'));
  const port = await freePort();
  const own = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', directory];
  const child: ChildProcess = spawn('redis-server', [...own, ...args], { stdio: 'ignore' });
  const client = new Redis(port, '127.0.0.1', { retryStrategy: () => 50 });
  client.on('error', () => undefined);
  onTestFinished(async () => {
    client.disconnect();
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    await rm(directory, { recursive: true, force: true });
  });
  await expect.poll(() => client.ping().catch(() => 'none')).toBe('PONG');
  return { client, port, url: `redis://127.0.0.1:${port}` };
}

function openStore(url: string) {
  const lines: Record<string, unknown>[] = [];
  const logger = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const store = createRedisStore({ url, logger, installation: 'test', randomBytes });
  onTestFinished(() => store.close());
  return { store, lines };
}

const body = Buffer.from('{"data":1}');

describe.skipIf(!hasServer)('a Redis server', () => {
  test('that is a node of a cluster serves every lookup: its keys have one slot', async () => {
    const { client, url } = await startServer(['--cluster-enabled', 'yes', '--cluster-config-file', 'nodes.conf']);
    await client.call('cluster', 'addslotsrange', '0', '16383');
    await expect.poll(() => client.call('cluster', 'info')).toContain('cluster_state:ok');
    const { store, lines } = openStore(url);
    for (const tenant of ['a', 'b', 'c-of-another-slot']) {
      await expect.poll(async () => (await store.get(tenant, 'key')).generation).not.toBeNull();
      const { generation } = await store.get(tenant, 'key');
      expect(store.set({ tenant, key: 'key', generation: String(generation), body, lifetimeMs: 60_000 })).toBe(true);
      await expect.poll(async () => (await store.get(tenant, 'key')).body).toEqual(body);
      await store.invalidate(tenant);
      expect((await store.get(tenant, 'key')).body).toBeNull();
    }
    expect(lines.filter(({ msg }) => msg === 'Redis refuses a command')).toEqual([]);
  });

  test('that has become a replica is left, and what could not be told there is told to the next', {
    timeout: 60_000,
  }, async () => {
    const primary = await startServer();
    const { client, url } = await startServer();
    const { store } = openStore(url);
    await expect.poll(async () => (await store.get('t', 'key')).generation).not.toBeNull();
    const before = await client.client('LIST');
    const connection = /id=(\d+)[^\n]*name=postern/.exec(String(before))?.[1];
    await client.replicaof('127.0.0.1', primary.port);
    await expect.poll(() => client.info('replication')).toContain('master_link_status:up');
    await store.invalidate('t');
    await expect
      .poll(async () => /id=(\d+)[^\n]*name=postern/.exec(String(await client.client('LIST')))?.[1] ?? connection)
      .not.toBe(connection);
    await client.replicaof('NO', 'ONE');
    await expect.poll(async () => (await store.get('t', 'key')).generation).not.toBeNull();
  });
});
