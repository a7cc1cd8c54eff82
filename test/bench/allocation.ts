/**
 * `node test/bench/allocation.ts few`: what one request of an operation allocates, by the functions that do it, in bytes. It
 * needs no quiet machine. SOURCE=1 shows the lines that allocate instead of the calls that lead to them.
 */
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { forkModule, messageOf } from './children.ts';
import type { LoadResult } from './load.ts';
import { allocating } from './operations.ts';
import { type AllocatedNode, allocatedIn, ask } from './probing.ts';
import { startTarget, type TargetName } from './targets.ts';

const name = (process.argv[2] ?? 'few') as keyof typeof allocating;
const targetName = (process.env.TARGETS ?? 'postern') as TargetName;
/** What is shown allocates at least so many bytes per request. */
const least = Number(process.env.LEAST ?? 500);

const nameOf = ({ callFrame: { functionName, url, lineNumber } }: AllocatedNode): string =>
  `${functionName || '(anonymous)'} ${url.replace(/^.*\/(src|node_modules)\//, '$1/')}:${lineNumber + 1}`;

function* linesOf(node: AllocatedNode, requests: number, depth: number): Generator<string> {
  const bytes = allocatedIn(node) / requests;
  if (bytes < least) return;
  yield `${bytes.toFixed(0).padStart(8)} ${(node.selfSize / requests).toFixed(0).padStart(7)} ${' '.repeat(depth)}${nameOf(node)}`;
  const children = [...node.children].sort((one, other) => allocatedIn(other) - allocatedIn(one));
  for (const child of children) yield* linesOf(child, requests, depth + 1);
}

function selfSizes(node: AllocatedNode, sizes = new Map<string, number>()): Map<string, number> {
  sizes.set(nameOf(node), (sizes.get(nameOf(node)) ?? 0) + node.selfSize);
  for (const child of node.children) selfSizes(child, sizes);
  return sizes;
}

const children: ChildProcess[] = [];
const directory = await mkdtemp(join(tmpdir(), 'postern-bench-'));
try {
  const module = (file: string) => {
    const child = forkModule({ file: join(import.meta.dirname, file), logFile: join(directory, file) }, 'rest');
    children.push(child);
    return child;
  };
  const load = module('load.ts');
  const upstream = (await messageOf(module('stub.ts'))) as string;
  const { process: gateway, url, key } = await startTarget(targetName, upstream, directory);
  children.push(gateway);
  const run = async (ms: number): Promise<LoadResult> => {
    const { text: query, prefix } = allocating[name];
    load.send({ url, key, query, prefix, connections: 8, ms, perSecond: null });
    await messageOf(load);
    load.send('start');
    return (await messageOf(load)) as LoadResult;
  };
  await run(4_000);
  await ask(gateway, 'sample');
  const { count } = await run(4_000);
  const sampled = await ask(gateway, 'sampled');
  const bySource = [...selfSizes(sampled)]
    .sort(([, one], [, other]) => other - one)
    .filter(([, bytes]) => bytes / count >= least / 4)
    .map(([place, bytes]) => `${(bytes / count).toFixed(0).padStart(8)} ${place}`);
  const lines = process.env.SOURCE === undefined ? linesOf(sampled, count, 0) : bySource;
  process.stdout.write(`${count} requests\n   bytes     own\n${[...lines].join('\n')}\n`);
} finally {
  for (const child of children) child.kill();
  await rm(directory, { recursive: true, force: true });
}
