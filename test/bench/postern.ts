/** The gateway under test: as `npm start` starts it, configured as in production. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'undici';
import { runProcess } from '../support/process.ts';
import { spawnGateway } from './children.ts';

const ownRoot = join(import.meta.dirname, '../..');

/** The arguments that `npm start` gives Node.js in a checkout: flags, then the entry. */
export function startArguments(root: string): { readonly flags: readonly string[]; readonly file: string } {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const words: string[] = scripts.start.split(' ').slice(1);
  return { flags: words.slice(0, -1), file: join(root, words.at(-1) ?? '') };
}

export interface Postern {
  readonly process: ChildProcess;
  readonly url: string;
}

/** A folder with a database, and the environment that a gateway on it is started with. */
export interface Installation {
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
}

export async function install(directory: string, environment: Readonly<Record<string, string>>): Promise<Installation> {
  await mkdir(directory, { recursive: true });
  const common = {
    LOG_LEVEL: 'info',
    DATABASE_URL: `sqlite:${join(directory, 'postern.db')}`,
    SECRET: 'the secret of the benchmark, of no use to anybody',
    // Counted as ever, but never refused: one key makes all requests of the benchmark.
    REQUESTS_PER_MINUTE: '10000000',
  };
  return { directory, environment: { ...common, ...environment } };
}

export const logFileOf = ({ directory }: Installation): string => join(directory, 'log');

/** Creates an API key in the database of a gateway. */
export async function createKey({ environment }: Installation): Promise<string> {
  const args = ['create', '--workspace', 'bench', '--name', 'bench'];
  const { code, stdout, stderr } = await runProcess('src/app/cli/keys.ts', args, environment);
  if (code !== 0) throw new Error(`No key was created: ${stderr}`);
  return stdout.trim();
}

interface StartOptions {
  readonly onOneCore: boolean;
  /** Of Node.js, beside those of `npm start`. */
  readonly flags?: readonly string[];
  /** The checkout. */
  readonly root?: string | undefined;
}

export async function startPostern(
  installation: Installation,
  { flags = [], root = ownRoot, ...cores }: StartOptions,
): Promise<Postern> {
  const port = await freePort();
  const { flags: startFlags, file } = startArguments(root);
  const child = spawnGateway(
    {
      flags: [...startFlags, ...flags],
      file,
      environment: { ...installation.environment, PORT: String(port) },
      logFile: logFileOf(installation),
    },
    cores,
  );
  return { process: child, url: `http://127.0.0.1:${port}/graphql` };
}

/**
 * Asks until the gateway answers a query with status 200. Rejects if its process exits before.
 * @param question a query that names the schema only needs no key
 */
export async function firstAnswer(
  { process: child, url }: Postern,
  { key, query }: { readonly key?: string; readonly query: string },
): Promise<void> {
  const { origin, pathname } = new URL(url);
  for (;;) {
    if (child.exitCode !== null) throw new Error(`The gateway exited with code ${child.exitCode}`);
    const client = new Client(origin);
    const status = await client
      .request({
        method: 'POST',
        path: pathname,
        headers: { 'content-type': 'application/json', ...(key === undefined ? {} : { 'x-api-key': key }) },
        body: JSON.stringify({ query }),
      })
      .then(async ({ statusCode, body }) => {
        await body.dump();
        return statusCode;
      })
      // It does not listen yet.
      .catch(() => null);
    await client.destroy();
    if (status === 200) return;
    if (status !== null) throw new Error(`The first answer had the status ${status}`);
    await wait(2);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
