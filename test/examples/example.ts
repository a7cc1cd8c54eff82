/** Runs the packages of `examples/` by their scripts, as their readers do. */
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { freePort } from '../support/reverse-proxy.ts';

const folder = join(import.meta.dirname, '../../examples');

type Environment = Readonly<Record<string, string>>;

interface Running {
  /** What it has written so far, to either stream. */
  written(): string;
  /** The exit code; null if a signal ended it. */
  readonly ended: Promise<number | null>;
  stop(): Promise<void>;
}

/** For a script after another one, which has generated what both need: npm leaves out `prestart` and the like. */
export const again: Environment = { npm_config_ignore_scripts: 'true' };

/** The path of a file of an example. */
export const fileOf = (example: string, file: string): string => join(folder, example, file);

function start(example: string, script: string, environment: Environment): Running {
  const child = spawn('npm', ['run', '--silent', script], {
    cwd: join(folder, example),
    // npm is found in the PATH of the tests, and its scripts run in the Node.js of the tests. Tools are quieter in tests.
    env: {
      ...process.env,
      NODE_ENV: undefined,
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      ...environment,
    },
    // A group of its own: npm passes no signal on to what its scripts have started.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let written = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      written += text;
    });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return {
    written: () => written,
    ended,
    async stop() {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
      await ended;
    },
  };
}

/** Runs a script of an example until it exits. @throws Error with what it wrote, if it fails */
export async function runExample(example: string, script: string, environment: Environment): Promise<string> {
  const running = start(example, script, environment);
  if ((await running.ended) !== 0) throw new Error(running.written());
  return running.written();
}

export interface Server {
  /** `http://127.0.0.1:<port>` */
  readonly address: string;
  readonly port: number;
  written(): string;
  stop(): Promise<void>;
}

/** Starts a server of an example, until it responds. @throws Error with what it wrote, if it exits */
export async function serveExample(
  example: string,
  script: string,
  environment: Environment,
  port?: number,
): Promise<Server> {
  port ??= await freePort();
  const running = start(example, script, { PORT: String(port), ...environment });
  const address = `http://127.0.0.1:${port}`;
  let hasEnded = false;
  void running.ended.then(() => {
    hasEnded = true;
  });
  while (!(await fetch(address).catch(() => null))) {
    if (hasEnded) throw new Error(running.written());
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { address, port, written: running.written, stop: running.stop };
}
