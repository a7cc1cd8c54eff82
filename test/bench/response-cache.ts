/**
 * What the response cache costs and gives: responses a second and CPU time for each, of a gateway in front of one service without
 * a cache, with a hit and with a miss, beside a proxy that forwards bytes. All take turns in short rounds, so that whatever else
 * the machine does meets all alike.
 *
 * ROUNDS and ROUND_MS say how long. TEST_REDIS_URL includes Redis. The load generator is this process: CPU times compare better
 * than rates. What Redis itself needs is not counted.
 */
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { forkModule, messageOf } from './children.ts';
import { openConnection } from './http-connection.ts';
import { median } from './measure.ts';
import { operations } from './operations.ts';
import { cpuOf } from './process-figures.ts';
import { type Running, startTarget, type TargetName } from './targets.ts';

const rounds = Number(process.env.ROUNDS ?? 9);
const ms = Number(process.env.ROUND_MS ?? 700);
const connections = 16;
/** For compilers. */
const warmUpRounds = 4;

interface Variant {
  readonly name: string;
  readonly target: TargetName;
  /** Whether all requests are about one list: then all but the first are hits, where anything is kept. */
  readonly same: boolean;
}

const variants: readonly Variant[] = [
  { name: 'proxy, bytes forwarded', target: 'bytes', same: false },
  { name: 'off', target: 'postern', same: false },
  { name: 'memory, a miss', target: 'cached', same: false },
  { name: 'memory, a hit', target: 'cached', same: true },
  ...(process.env.TEST_REDIS_URL === undefined
    ? []
    : ([
        { name: 'redis, a miss', target: 'redis', same: false },
        { name: 'redis, a hit', target: 'redis', same: true },
      ] as const)),
];

interface Figures {
  readonly perSecond: number;
  readonly cpu: number;
}

let sent = 0;

/** Closed load: a request is under way on each connection. */
async function load({ url: address, key, process: target }: Running, text: string, same: boolean): Promise<Figures> {
  const url = new URL(address);
  const open = await Promise.all(Array.from({ length: connections }, () => openConnection(url)));
  const pid = target.pid ?? 0;
  const before = cpuOf(pid);
  const started = performance.now();
  let count = 0;
  const client = async ({ send }: (typeof open)[number]) => {
    while (performance.now() - started < ms) {
      sent += 1;
      const of = `ACo${String(same ? 0 : sent).padStart(9, '0')}`;
      const body = JSON.stringify({ query: text, variables: { of } });
      const head = `POST ${url.pathname} HTTP/1.1\r\nhost: ${url.host}\r\ncontent-type: application/json\r\nx-api-key: ${key}\r\ncontent-length: ${body.length}\r\n\r\n`;
      const response = await send(head + body);
      if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
      count += 1;
    }
  };
  await Promise.all(open.map(client));
  const seconds = (performance.now() - started) / 1_000;
  for (const connection of open) connection.close();
  return { perSecond: count / seconds, cpu: (cpuOf(pid) - before) / count };
}

const children: ChildProcess[] = [];
const directory = await mkdtemp(join(tmpdir(), 'postern-bench-'));
try {
  const stub = forkModule({ file: join(import.meta.dirname, 'stub.ts'), logFile: join(directory, 'stub') }, 'rest');
  children.push(stub);
  const upstream = (await messageOf(stub)) as string;
  // A gateway for each, so that all have served as much when they are measured.
  const running = new Map<Variant, Running>();
  for (const variant of variants) {
    const started = await startTarget(variant.target, upstream, join(directory, variant.name));
    children.push(started.process);
    running.set(variant, started);
  }
  for (const name of ['few', 'all'] as const) {
    const { title, text } = operations[name];
    const figures = new Map(variants.map((variant) => [variant, [] as Figures[]]));
    for (let round = 0; round < warmUpRounds + rounds; round += 1) {
      for (const [variant, target] of running) {
        const measured = await load(target, text, variant.same);
        if (round >= warmUpRounds) figures.get(variant)?.push(measured);
      }
    }
    process.stdout.write(`${title}\n`);
    for (const [{ name: variant }, measured] of figures) {
      const of = (figure: keyof Figures) => median(measured.map((each) => each[figure])).toFixed(0);
      process.stdout.write(
        `  ${variant.padEnd(22)} ${of('perSecond').padStart(6)} responses/s ${of('cpu').padStart(6)} µs of CPU\n`,
      );
    }
  }
} finally {
  for (const child of children) child.kill();
  await rm(directory, { recursive: true, force: true });
}
