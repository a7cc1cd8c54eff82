/** PgBouncer in front of the Postgres of the tests. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { postgresUrl } from './servers.ts';

export interface Pooler extends AsyncDisposable {
  /** The address of a database of the server through the pooler. */
  through(url: string): string;
}

/** @param poolSize sessions of the server for each database */
export async function startPooler(mode: 'session' | 'transaction', poolSize: number): Promise<Pooler> {
  const { hostname, port, username, password } = new URL(postgresUrl ?? '');
  const directory = await mkdtemp(join(tmpdir(), 'postern-pooler-'));
  const listening = await freePort();
  await writeFile(
    join(directory, 'pgbouncer.ini'),
    `[databases]
* = host=${hostname} port=${port || 5432} user=${username}${password && ` password=${password}`}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listening}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = ${poolSize}
logfile = ${join(directory, 'log')}
`,
  );
  // PgBouncer refuses to run as root.
  await chmod(directory, 0o777);
  const asUser = process.getuid?.() === 0 ? ['-u', 'postgres'] : [];
  const pooler: ChildProcess = spawn('/usr/sbin/pgbouncer', [...asUser, join(directory, 'pgbouncer.ini')], {
    stdio: 'ignore',
  });
  const through = (url: string): string => {
    const place = new URL(url);
    place.hostname = '127.0.0.1';
    place.port = `${listening}`;
    return place.href;
  };
  for (let left = 100; !(await answers(through(postgresUrl ?? ''))); left -= 1) {
    if (left === 0) {
      pooler.kill('SIGKILL');
      throw new Error('PgBouncer does not answer');
    }
    await sleep(100);
  }
  return {
    through,
    async [Symbol.asyncDispose]() {
      const ended = once(pooler, 'exit');
      pooler.kill('SIGKILL');
      await ended;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}
