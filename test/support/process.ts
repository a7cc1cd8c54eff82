/** Runs the project's programs as processes: what they print, and how they exit. */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

const root = join(import.meta.dirname, '../..');

export interface Ended {
  /** The exit code; null if a signal ended the process. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly child: ChildProcess;
  /** The standard output so far. */
  readonly output: () => string;
  /** Resolves with the first match in the output; rejects if the process exits without one. */
  line(pattern: RegExp): Promise<RegExpExecArray>;
  /** The same for the standard error. */
  errorLine(pattern: RegExp): Promise<RegExpExecArray>;
  readonly ended: Promise<Ended>;
}

/**
 * The whole environment of the process, so that a test does not depend on who runs it. But for the modules that Node.js keeps
 * compiled: with them, a command starts in half the CPU time.
 */
export type Environment = Readonly<Record<string, string>>;

/** Starts a program of the project: `node <file>`. */
export function startProcess(file: string, args: readonly string[], environment: Environment, cwd = root): Started {
  const { NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, [join(root, file), ...args], {
    cwd,
    env: { ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
  const firstMatch = (stream: Readable, text: () => string, pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const look = () => {
        const found = pattern.exec(text());
        if (found !== null) resolve(found);
      };
      stream.on('data', look);
      ended.then(() =>
        reject(new Error(`The process exited without a line that matches ${pattern}:\n${stdout}${stderr}`)),
      );
      look();
    });
  return {
    child,
    output: () => stdout,
    line: (pattern) => firstMatch(child.stdout, () => stdout, pattern),
    errorLine: (pattern) => firstMatch(child.stderr, () => stderr, pattern),
    ended,
  };
}

/** Runs a program of the project until it exits. */
export const runProcess = (file: string, args: readonly string[], environment: Environment, cwd?: string) =>
  startProcess(file, args, environment, cwd).ended;

/** What {@link startPrograms} sends to its process. */
export interface Program {
  readonly file: string;
  readonly args: readonly string[];
  readonly environment: Environment;
}

/**
 * A process that runs programs one after another: it loads their modules once, which takes a second of CPU time. It runs each
 * command of the launcher once, and does not show what keeps a program from ending, nor its log.
 */
export function startPrograms() {
  const { NODE_COMPILE_CACHE } = process.env;
  const child = fork(join(root, 'test/support/program-runs.ts'), {
    cwd: root,
    env: { ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  let before: Promise<unknown> = Promise.resolve();
  return {
    run(file: string, args: readonly string[], environment: Environment = {}): Promise<Ended> {
      const ended = before.then(async () => {
        child.send({ file, args, environment } satisfies Program);
        const [result] = await Promise.race([once(child, 'message'), exited]);
        if (!child.connected) throw new Error(`${file} has ended the process of all programs`);
        return result as Ended;
      });
      before = ended.catch(() => undefined);
      return ended;
    },
    async close() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}

/** A folder that is deleted at the end of the scope. */
export async function temporaryDirectory(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'postern-process-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
