/** A project of the README's reader: the files of the pages for clients in a folder of their own, and the gateway that they call. */
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { demoId } from '../../src/app/demo.ts';
import { createKey } from '../../src/auth/api-keys.ts';
import type { Scope } from '../../src/kernel/caller.ts';
import { sectionOf, snippetFiles } from '../support/docs.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { freePort } from '../support/reverse-proxy.ts';
import { projectFolder } from './project-folder.ts';

const typeScript = join(import.meta.dirname, '../../node_modules/typescript/bin/tsc');
const modules = join(import.meta.dirname, 'node_modules');

/** The settings that the README tells its readers to make. */
const settings = /^- For `tsc` set (.*?)\. /ms.exec(sectionOf('TypeScript'))?.[1] ?? '';
/** With the strictest that a reader may have: the files run in Node.js as they are. */
const compilerOptions = {
  ...JSON.parse(`{${settings.replaceAll('`', '').replace(' and ', ', ')}}`),
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  verbatimModuleSyntax: true,
  erasableSyntaxOnly: true,
};

export interface ReadersProject {
  readonly gateway: Gateway;
  /** Of the demo workspace. */
  readonly key: string;
  readonly directory: string;
  /** Creates another key of the demo workspace. */
  newKey(scopes: readonly Scope[]): Promise<string>;
  /** Writes a file of the README or of a test; the addresses of the README become those of the gateway. */
  write(name: string, text: string): Promise<void>;
  /** Runs a command of a package, such as `tsc`, and returns what it prints. @throws Error with it, if the command fails */
  command(name: string, ...args: readonly string[]): Promise<string>;
  /** What TypeScript finds wrong; empty if it finds nothing. */
  compile(): Promise<string>;
  /** Runs a file in Node.js until it exits. @throws Error with what it printed, if it fails */
  run(name: string): Promise<string>;
  /** Imports a file into this process, with the key in the environment. */
  // biome-ignore lint/suspicious/noExplicitAny: the README's files have types of their own
  load(name: string): Promise<any>;
  /** Starts a server of the README, which listens on port 3000 there. */
  serve(name: string, options?: { readonly key?: string }): Promise<Server>;
  close(): Promise<void>;
}

interface Server {
  readonly address: string;
  close(): void;
}

/** Starts a gateway with the demo workspace, and writes the files of the sections. */
export async function readersProject(...headings: readonly string[]): Promise<ReadersProject> {
  const gateway = await startGateway({ environment: { DEMO: 'on' } });
  const key = (await readFile(join(gateway.directory, 'demo-key'), 'utf8')).trim();
  const directory = await projectFolder('docs');
  const environment = { ...process.env, POSTERN_KEY: key };
  const node = (args: readonly string[]) =>
    promisify(execFile)(process.execPath, args, { cwd: directory, env: environment });
  const project: ReadersProject = {
    gateway,
    key,
    directory,
    async newKey(scopes) {
      const made = { now: gateway.clock.now, randomBytes };
      const request = { workspaceId: demoId('demo'), name: 'other', scopes, accountIds: null, expiresAt: null };
      return (await createKey(gateway.app.database, request, made)).key;
    },
    async write(name, text) {
      await mkdir(dirname(join(directory, name)), { recursive: true });
      await writeFile(join(directory, name), text.replaceAll('http://127.0.0.1:4000', gateway.address));
    },
    command: async (name, ...args) => (await node([join(modules, '.bin', name), ...args])).stdout,
    compile: () =>
      node([typeScript, '-p', '.']).then(
        () => '',
        ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
      ),
    run: async (name) => (await node([name])).stdout,
    async load(name) {
      process.env.POSTERN_KEY = key;
      return import(pathToFileURL(join(directory, name)).href);
    },
    async serve(name, { key: ownKey = key } = {}) {
      const port = await freePort();
      const file = join(directory, `at-${port}-${name}`);
      const text = await readFile(join(directory, name), 'utf8');
      await writeFile(file, text.replace('listen(3000)', `listen(${port}, '127.0.0.1')`));
      const child = spawn(process.execPath, [file], {
        cwd: directory,
        env: { ...environment, POSTERN_KEY: ownKey },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let written = '';
      child.stderr.setEncoding('utf8').on('data', (more: string) => {
        written += more;
      });
      const address = `http://127.0.0.1:${port}`;
      while (child.exitCode === null && !(await fetch(address).catch(() => undefined))) await sleep(50);
      if (child.exitCode !== null) throw new Error(`${name} exited with ${child.exitCode}:\n${written}`);
      return { address, close: () => void child.kill() };
    },
    async close() {
      await gateway.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
  await project.write('package.json', JSON.stringify({ type: 'module' }));
  await project.write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['*.ts', 'gql', '__generated__'] }));
  for (const heading of headings)
    for (const [name, text] of Object.entries(snippetFiles(heading))) await project.write(name, text);
  return project;
}
