/** The processes of the benchmark: on which cores they run, and where their logs go. */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { availableParallelism, platform } from 'node:os';

const cores = availableParallelism();

/** With two cores or more the gateways share the first core, and everything else uses the others. */
export const isPinned = platform() === 'linux' && cores > 1;
/** Whether the upstream and the load generator have a core each. */
export const hasSpareCore = cores > 2;

const coresOf = { gateway: '0', rest: `1-${cores - 1}` } as const;
type Place = keyof typeof coresOf;

/** A program of the project or of a peer, with its logs in a file as in production. */
export interface Program {
  readonly file: string;
  /** Of Node.js. */
  readonly flags?: readonly string[];
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly logFile: string;
}

const optionsOf = ({ environment, logFile }: Program) => ({
  // The whole environment, so that the benchmark does not depend on who runs it.
  env: { PATH: process.env.PATH, NODE_ENV: 'production', ...environment },
  stdio: ['ignore', openSync(logFile, 'a'), 'inherit'] as const,
});

/** Starts `node <file>`, on the core of the gateways or wherever the system puts it. */
export function spawnGateway(program: Program, { onOneCore }: { readonly onOneCore: boolean }): ChildProcess {
  const command = [process.execPath, ...(program.flags ?? []), program.file, ...(program.args ?? [])];
  const [file = '', ...args] = isPinned && onOneCore ? ['taskset', '-c', coresOf.gateway, ...command] : command;
  const { stdio, ...options } = optionsOf(program);
  return spawn(file, args, { ...options, stdio: [...stdio, 'ipc'] });
}

/** Starts a module that talks over the channel of `fork`. */
export function forkModule(program: Program, place: Place): ChildProcess {
  const { stdio, ...options } = optionsOf(program);
  const flags = program.flags ?? [];
  const pinning = isPinned
    ? { execPath: 'taskset', execArgv: ['-c', coresOf[place], process.execPath, ...flags] }
    : { execArgv: [...flags] };
  return fork(program.file, program.args, { ...options, ...pinning, stdio: [...stdio, 'ipc'] });
}

/** The next message of a child. Rejects if it exits instead. */
export async function messageOf(child: ChildProcess): Promise<unknown> {
  const over = new AbortController();
  const { signal } = over;
  const exited = once(child, 'exit', { signal }).then(([code]) => {
    throw new Error(`${child.spawnargs.join(' ')} exited with code ${code}`);
  });
  try {
    const [message] = await Promise.race([once(child, 'message', { signal }), exited]);
    return message;
  } finally {
    exited.catch(() => {});
    over.abort();
  }
}
