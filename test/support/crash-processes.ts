/** The gateways of a crash run: processes that deliver until they are killed, the next of them loaded in advance. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const program = new URL('./crashing-gateway.ts', import.meta.url).pathname;

export interface CrashProcesses {
  /** Starts a gateway. Resolves when it has acknowledged its first event. */
  start(): Promise<ChildProcess>;
  /**
   * Resolves when everything is read that it had acknowledged.
   * @param look is called when it has stopped for ever and is not dead yet: no other process frees what it has claimed
   */
  kill(child: ChildProcess, look?: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

interface Loaded {
  readonly child: ChildProcess;
  readonly loaded: Promise<void>;
  readonly ready: Promise<void>;
}

/** @param acknowledge is called with each event that a gateway has acknowledged */
export async function createCrashProcesses(
  { url, leaseMs, pauseMs }: { readonly url: string; readonly leaseMs: number; readonly pauseMs: number },
  acknowledge: (id: string) => void,
): Promise<CrashProcesses> {
  /** Loading is most of what a kill costs; with a cache of compiled code it is half of that. */
  const compileCache = await mkdtemp(join(tmpdir(), 'postern-compiled-'));
  let started = 0;
  const load = (): Loaded => {
    started += 1;
    const settings = [url, `p${started}`, '4', String(leaseMs), String(pauseMs)];
    const child = spawn(process.execPath, [program, ...settings], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, NODE_COMPILE_CACHE: compileCache },
    });
    const [loaded, ready] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    child.once('exit', () => {
      for (const { reject } of [loaded, ready]) reject(new Error('the gateway ended before it was killed'));
    });
    // Whoever waits for them hears of it.
    for (const { promise } of [loaded, ready]) promise.catch(() => {});
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line === 'loaded') loaded.resolve();
      else {
        // Not before: a process that is killed while it starts has nothing to lose.
        ready.resolve();
        acknowledge(line);
      }
    });
    return { child, loaded: loaded.promise, ready: ready.promise };
  };
  const kill = async (child: ChildProcess, look = async () => {}) => {
    child.removeAllListeners('exit').kill('SIGSTOP');
    await look();
    // `close`, not `exit`: what it had written is read to its end.
    const closed = once(child, 'close');
    child.kill('SIGKILL');
    await closed;
  };
  let next = load();
  return {
    async start() {
      const { child, loaded, ready } = next;
      await loaded;
      child.stdin?.write('start\n');
      await ready;
      next = load();
      return child;
    },
    kill,
    async close() {
      await kill(next.child);
      await rm(compileCache, { recursive: true, force: true });
    },
  };
}
