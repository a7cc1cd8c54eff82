/**
 * `npm run bench`: what the gateway costs in proxy mode, compared with other gateways and with bare proxies. All
 * run against one upstream, each in its own process, one after the other within each round. Every request is about
 * another list. Postern runs as in production, with API keys in its database and its log in a file; Mercurius and Apollo
 * write a line for each request too, and check no keys; the proxies do neither.
 *
 * ROUNDS and ROUND_MS say how long, WARM_UP_MS how long before. SCENARIOS (names of operations.ts, `connections`, `start`) and TARGETS (names of
 * targets.ts) choose, separated by commas. STARTS says how many starts there are of each kind. TARGETS=postern,baseline
 * measures this checkout beside the one in BASELINE, which has the same migrations.
 */
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { forkModule, isPinned, messageOf } from './children.ts';
import { chosen } from './chosen.ts';
import { lastCompiled, requireSameResponses } from './compare.ts';
import { type ConnectionFigures, measureConnections } from './connections.ts';
import type { Bench } from './measure.ts';
import { type OperationName, operations } from './operations.ts';
import { report } from './report.ts';
import { measureRounds } from './rounds.ts';
import { measureStarts, type StartFigures } from './start.ts';
import { type Running, startTarget, type TargetName, targets, usualTargets } from './targets.ts';

const rounds = Number(process.env.ROUNDS ?? 5);
const roundMs = Number(process.env.ROUND_MS ?? 2_000);
const starts = Number(process.env.STARTS ?? 5);
const connections = 32;

const operationNames = Object.keys(operations) as OperationName[];
const scenarios = chosen('SCENARIOS', [...operationNames, 'connections', 'start'] as const);
const targetNames = chosen('TARGETS', Object.keys(targets) as TargetName[], usualTargets);
const measured = operationNames.filter((name) => scenarios.includes(name));

const comparableTargets = (name: OperationName): readonly TargetName[] =>
  targetNames.filter((target) => operations[name].oneCall || targets[target].kind !== 'proxy');

const gatewaysOf = (running: ReadonlyMap<TargetName, Running>): Running[] =>
  [...running].flatMap(([name, target]) => (targets[name].kind === 'proxy' ? [] : [target]));

async function main(directory: string, children: ChildProcess[]): Promise<void> {
  const module = (name: string) => {
    const child = forkModule({ file: join(import.meta.dirname, name), logFile: join(directory, name) }, 'rest');
    children.push(child);
    return child;
  };
  const bench = { upstream: module('stub.ts'), load: module('load.ts') } satisfies Bench;
  const upstream = (await messageOf(bench.upstream)) as string;
  // Before the others run: a start uses both cores.
  const startFigures: StartFigures[] = scenarios.includes('start')
    ? await measureStarts(directory, { upstream, starts })
    : [];
  const running = new Map<TargetName, Running>();
  if (measured.length > 0 || scenarios.includes('connections')) {
    for (const name of targetNames) {
      const target = await startTarget(name, upstream, directory);
      children.push(target.process);
      running.set(name, target);
    }
  }
  const compiled = new Map<OperationName, string>();
  for (const name of measured) {
    await requireSameResponses(gatewaysOf(running), operations[name]);
    const postern = running.get('postern');
    if (postern !== undefined) compiled.set(name, await lastCompiled(postern));
  }
  const results = await measureRounds(bench, new Map(measured.map((name) => [name, comparableTargets(name)])), {
    queries: operations,
    running,
    connections,
    rounds,
    roundMs,
  });
  const connectionFigures: ConnectionFigures[] = scenarios.includes('connections')
    ? await measureConnections(bench, running, { names: ['all', 'few'], rounds, ms: roundMs })
    : [];
  process.stdout.write(
    `${rounds} rounds of ${roundMs} ms, ${connections} connections, ${isPinned ? 'one core for the gateways' : 'no core reserved'}.\n\n` +
      `${report({ results, compiled, connections: connectionFigures, starts: startFigures })}\n`,
  );
}

const directory = await mkdtemp(join(tmpdir(), 'postern-bench-'));
const children: ChildProcess[] = [];
try {
  await main(directory, children);
} finally {
  for (const child of children) child.kill();
  await rm(directory, { recursive: true, force: true });
}
