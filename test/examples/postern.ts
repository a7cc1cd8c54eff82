/** A gateway as `npm start` runs it, with the demo workspace. Examples are processes, and so is what they call. */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Started, startProcess, temporaryDirectory } from '../support/process.ts';
import { freePort } from '../support/reverse-proxy.ts';

export interface Postern {
  readonly address: string;
  /** Of the demo workspace, with every scope. */
  readonly key: string;
  /** Stops the gateway, and starts it again at the same address after a while. @param down - in milliseconds */
  restart(down?: number): Promise<void>;
  /** The log since the last start. */
  output(): string;
  /** Resolves as soon as the log since the last start has a line that matches. */
  logged(pattern: RegExp): Promise<unknown>;
  close(): Promise<void>;
}

export async function startPostern(settings: Readonly<Record<string, string>> = {}): Promise<Postern> {
  const { path: directory } = await temporaryDirectory();
  const port = await freePort();
  const environment = {
    PATH: process.env.PATH ?? '',
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
    PORT: String(port),
    DATABASE_URL: `sqlite:${join(directory, 'postern.db')}`,
    ...settings,
  };
  let running: Started;
  const start = async () => {
    running = startProcess('src/app/main.js', [], environment);
    await running.line(/Server listening/);
  };
  const stop = async () => {
    running.child.kill('SIGTERM');
    await running.ended;
  };
  await start();
  return {
    address: `http://127.0.0.1:${port}`,
    key: (await readFile(join(directory, 'demo-key'), 'utf8')).trim(),
    async restart(down = 0) {
      await stop();
      await new Promise((resolve) => setTimeout(resolve, down));
      await start();
    },
    output: () => running.output(),
    logged: (pattern) => running.line(pattern),
    async close() {
      await stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
