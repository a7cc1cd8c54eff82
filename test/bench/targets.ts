/** What is measured: Postern, its peers, and bare proxies. */
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { forkModule, messageOf } from './children.ts';
import { createKey, firstAnswer, install, logFileOf, startPostern } from './postern.ts';
import { probeFlags } from './probing.ts';

interface PosternTarget {
  readonly title: string;
  readonly kind: 'postern';
  readonly environment: Readonly<Record<string, string>>;
  /** The checkout that it is run from; this one by default. */
  readonly root?: string;
}

interface PeerTarget {
  readonly title: string;
  readonly kind: 'gateway' | 'proxy';
  readonly module: string;
  readonly mode?: string;
  readonly path: string;
}

/** As long as keys are: what comes back is searched for it. */
const ownKeys = { UPSTREAM_API_KEY: 'a-key-of-the-benchmark-with-40-characters' };

export const targets = {
  postern: { title: 'Postern', kind: 'postern', environment: ownKeys },
  baseline: { title: 'Postern of BASELINE', kind: 'postern', environment: ownKeys, root: process.env.BASELINE ?? '.' },
  forwarded: { title: 'Postern, keys forwarded', kind: 'postern', environment: {} },
  executed: {
    title: 'Postern, COMPILED_OPERATIONS=off',
    kind: 'postern',
    environment: { ...ownKeys, COMPILED_OPERATIONS: 'off' },
  },
  cached: {
    title: 'Postern, RESPONSE_CACHE=memory',
    kind: 'postern',
    environment: { ...ownKeys, RESPONSE_CACHE: 'memory' },
  },
  redis: {
    title: 'Postern, RESPONSE_CACHE=redis',
    kind: 'postern',
    environment: { ...ownKeys, RESPONSE_CACHE: 'redis', REDIS_URL: process.env.TEST_REDIS_URL ?? '' },
  },
  mercurius: { title: 'Mercurius + jit', kind: 'gateway', module: 'mercurius.js', path: '/graphql' },
  apollo: { title: 'Apollo Server + datasource-rest', kind: 'gateway', module: 'apollo.js', path: '/' },
  json: { title: 'proxy, JSON parsed and printed', kind: 'proxy', module: 'proxy.js', mode: 'json', path: '/' },
  bytes: { title: 'proxy, bytes forwarded', kind: 'proxy', module: 'proxy.js', mode: 'bytes', path: '/' },
} as const satisfies Record<string, PosternTarget | PeerTarget>;

export type TargetName = keyof typeof targets;

/** The variants of Postern are measured when TARGETS names them. */
export const usualTargets: readonly TargetName[] = ['postern', 'mercurius', 'apollo', 'json', 'bytes'];

export interface Running {
  readonly process: ChildProcess;
  readonly url: string;
  readonly key: string;
  readonly logFile: string;
  /** CPU time in microseconds so far of the server that has its database; none if it has no server. */
  readonly databaseCpu?: () => number;
}

/** @param directory for the target's database and log */
export async function startTarget(name: TargetName, upstream: string, directory: string): Promise<Running> {
  const target: PosternTarget | PeerTarget = targets[name];
  const own = join(directory, name);
  if (target.kind === 'postern') {
    return startPosternTarget(target.environment, { upstream, directory: own, root: target.root });
  }
  const logFile = logFileOf(await install(own, {}));
  const args = [upstream, ...(target.mode === undefined ? [] : [target.mode])];
  const file = join(import.meta.dirname, 'peers', target.module);
  const child = forkModule({ file, flags: probeFlags, args, logFile }, 'gateway');
  return { process: child, url: `${await messageOf(child)}${target.path}`, key: 'key', logFile };
}

interface PosternPlace {
  readonly upstream: string;
  /** For its database and log. */
  readonly directory: string;
  readonly onOneCore?: boolean;
  readonly root?: string | undefined;
}

/**
 * Starts the gateway in proxy mode, and waits for its first answer.
 * @param environment with UPSTREAM_API_KEY, its keys are in its own database; without, they are the service's
 */
export async function startPosternTarget(
  environment: Readonly<Record<string, string>>,
  { upstream, directory, onOneCore = true, root }: PosternPlace,
): Promise<Running> {
  const installation = await install(directory, { UPSTREAM_URL: upstream, ...environment });
  const key = 'UPSTREAM_API_KEY' in environment ? await createKey(installation) : 'key';
  const postern = await startPostern(installation, { onOneCore, flags: probeFlags, root });
  await firstAnswer(postern, { query: '{ __typename }' });
  return { ...postern, key, logFile: logFileOf(installation) };
}
