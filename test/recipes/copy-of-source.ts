/** Recipes of the documentation, followed in a copy of the source: what they touch is what a contributor touches. */
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { type Ended, type Environment, runProcess, type Started, startProcess } from '../support/process.ts';

/** A text that a file has once, and what stands in its place. */
type Edit = readonly [text: string, replacement: string];

/** Files by their paths. */
export interface Recipe {
  readonly newFiles?: Readonly<Record<string, string>>;
  readonly edits: Readonly<Record<string, readonly Edit[]>>;
}

export interface CopyOfSource {
  readonly path: string;
  /** Starts the gateway, until the copy is removed. */
  start(environment: Environment): Promise<Started & { readonly address: string }>;
  /** Runs a program of the copy until it exits. */
  run(file: string, args: readonly string[], environment: Environment): Promise<Ended>;
  /** What the compiler finds. */
  compile(): Promise<string>;
  /** Ends the gateways. */
  remove(): Promise<void>;
}

const root = join(import.meta.dirname, '../..');

/** @throws Error if a file does not have what a recipe replaces */
export async function followRecipes(recipes: readonly Recipe[]): Promise<CopyOfSource> {
  const path = await mkdtemp(join(tmpdir(), 'postern-recipe-'));
  await cp(join(root, 'src'), join(path, 'src'), { recursive: true });
  for (const file of ['package.json', 'tsconfig.json']) await cp(join(root, file), join(path, file));
  await symlink(join(root, 'node_modules'), join(path, 'node_modules'));
  for (const recipe of recipes) await follow(recipe, path);

  const inCopy = (file: string): string => relative(root, join(path, file));
  const processes: Started[] = [];
  return {
    path,
    async start(environment) {
      const started = startProcess(
        inCopy('src/app/main.js'),
        [],
        { PORT: '0', LOG_LEVEL: 'info', ...environment },
        path,
      );
      processes.push(started);
      const [, address = ''] = await started.line(/(http:\/\/127\.0\.0\.1:\d+)\/graphql/);
      return { ...started, address };
    },
    run: (file, args, environment) => runProcess(inCopy(file), args, environment, path),
    compile: async () => (await runProcess('node_modules/typescript/bin/tsc', ['-p', inCopy('.')], {}, root)).stdout,
    async remove() {
      for (const { child, ended } of processes) {
        child.kill();
        await ended;
      }
      await rm(path, { recursive: true, force: true });
    },
  };
}

async function follow({ newFiles = {}, edits }: Recipe, copy: string): Promise<void> {
  for (const [file, text] of Object.entries(newFiles)) {
    await mkdir(dirname(join(copy, file)), { recursive: true });
    await writeFile(join(copy, file), text);
  }
  for (const [file, replacements] of Object.entries(edits)) {
    let text = await readFile(join(copy, file), 'utf8');
    for (const [from, to] of replacements) {
      const parts = text.split(from);
      if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times: ${from}`);
      text = parts.join(to);
    }
    await writeFile(join(copy, file), text);
  }
}
