/**
 * What telemetry costs: CPU time per request of gateways that differ in nothing else, in proxy mode over one service, measured in
 * turns of short windows, so that whatever else the machine does meets all of them alike.
 *
 * ROUNDS and ROUND_MS say how long, OPERATION which one of operations.ts. BASELINE is another checkout, to compare with.
 */
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { forkModule, messageOf } from './children.ts';
import { measure, median } from './measure.ts';
import { type OperationName, operations } from './operations.ts';
import { firstAnswer, install, startPostern } from './postern.ts';
import type { Running } from './targets.ts';

const rounds = Number(process.env.ROUNDS ?? 15);
const ms = Number(process.env.ROUND_MS ?? 700);
const baseline = process.env.BASELINE;
const operation = Object.keys(operations).find((name) => name === (process.env.OPERATION ?? 'few')) as OperationName;

const collector = createServer((request, response) => {
  request.resume();
  request.on('end', () => response.end());
});
await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
const OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
const traces = { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_METRICS_EXPORTER: 'none' };

const variants: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  off: {},
  'metrics for Prometheus': { METRICS_PORT: '0' },
  'one trace in a hundred': { ...traces, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.01' },
  'every trace': traces,
};

async function start(
  directory: string,
  upstream: string,
  environment: Readonly<Record<string, string>>,
  root?: string,
) {
  const installation = await install(directory, { UPSTREAM_URL: upstream, ...environment });
  const starter: typeof startPostern =
    root === undefined ? startPostern : (await import(join(root, 'test/bench/postern.ts'))).startPostern;
  const postern = await starter(installation, { onOneCore: true });
  await firstAnswer(postern, { query: '{ __typename }' });
  // Keys are forwarded: a database that one checkout has migrated could not be used by another.
  return { ...postern, key: 'key', logFile: '' } satisfies Running;
}

const children: ChildProcess[] = [];
const directory = await mkdtemp(join(tmpdir(), 'postern-bench-'));
try {
  const module = (name: string) => {
    const child = forkModule({ file: join(import.meta.dirname, name), logFile: join(directory, name) }, 'rest');
    children.push(child);
    return child;
  };
  const bench = { upstream: module('stub.ts'), load: module('load.ts') };
  const upstream = (await messageOf(bench.upstream)) as string;
  const running = new Map<string, Running>();
  if (baseline !== undefined) running.set('baseline', await start(join(directory, 'b'), upstream, {}, baseline));
  for (const [name, environment] of Object.entries(variants)) {
    running.set(name, await start(join(directory, name), upstream, environment));
  }
  for (const { process: child } of running.values()) children.push(child);
  const cpu = new Map([...running].map(([name]) => [name, [] as number[]]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, target] of running) {
      const figures = await measure(bench, target, operations[operation], { connections: 16, ms });
      if (round > 0) cpu.get(name)?.push(figures.cpu);
    }
  }
  const first = [...cpu.values()][0] ?? [];
  for (const [name, values] of cpu) {
    const ratios = values.map((value, round) => value / (first[round] ?? Number.NaN));
    process.stdout.write(
      `${name.padEnd(24)} ${median(values).toFixed(1).padStart(7)} µs of CPU per request, × ${median(ratios).toFixed(3)} (quartiles ${quartile(ratios, 0.25)} – ${quartile(ratios, 0.75)})\n`,
    );
  }
} finally {
  for (const child of children) child.kill();
  collector.close();
  await rm(directory, { recursive: true, force: true });
}

function quartile(values: readonly number[], share: number): string {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN).toFixed(3);
}
