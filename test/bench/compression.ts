/**
 * What compression costs and gives: responses a second, CPU time and bytes for each, by what the client accepts, of a gateway
 * in front of one service. The codings take turns in short rounds, so that whatever else the machine does meets all alike.
 *
 * ROUNDS and ROUND_MS say how long. The load generator is this process: CPU times compare better than rates.
 */
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { forkModule, messageOf } from './children.ts';
import { openConnection } from './http-connection.ts';
import { median } from './measure.ts';
import { operations } from './operations.ts';
import { firstAnswer, install, type Postern, startPostern } from './postern.ts';
import { cpuOf } from './process-figures.ts';

const rounds = Number(process.env.ROUNDS ?? 9);
const ms = Number(process.env.ROUND_MS ?? 700);
const connections = 16;
/** For compilers. */
const warmUpRounds = 4;

interface Variant {
  readonly name: string;
  readonly compression: 'off' | 'on';
  readonly encoding: string;
}

const variants: readonly Variant[] = [
  { name: 'off', compression: 'off', encoding: 'gzip, zstd' },
  { name: 'on, nothing accepted', compression: 'on', encoding: 'identity' },
  { name: 'gzip', compression: 'on', encoding: 'gzip' },
  { name: 'zstd', compression: 'on', encoding: 'zstd' },
];

interface Figures {
  readonly perSecond: number;
  readonly cpu: number;
  readonly bytes: number;
}

let sent = 0;

/** Closed load: a request is under way on each connection. */
async function load(url: URL, pid: number, text: string, encoding: string): Promise<Figures> {
  const open = await Promise.all(Array.from({ length: connections }, () => openConnection(url)));
  const before = cpuOf(pid);
  const started = performance.now();
  let [count, bytes] = [0, 0];
  const client = async ({ send }: (typeof open)[number]) => {
    while (performance.now() - started < ms) {
      sent += 1;
      const body = JSON.stringify({ query: text, variables: { of: `ACo${String(sent).padStart(9, '0')}` } });
      const head = `POST ${url.pathname} HTTP/1.1\r\nhost: ${url.host}\r\ncontent-type: application/json\r\nx-api-key: key\r\naccept-encoding: ${encoding}\r\ncontent-length: ${body.length}\r\n\r\n`;
      const response = await send(head + body);
      if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
      count += 1;
      bytes += response.bytes;
    }
  };
  await Promise.all(open.map(client));
  const seconds = (performance.now() - started) / 1_000;
  for (const connection of open) connection.close();
  return { perSecond: count / seconds, cpu: (cpuOf(pid) - before) / count, bytes: bytes / count };
}

const children: ChildProcess[] = [];
const directory = await mkdtemp(join(tmpdir(), 'postern-bench-'));
try {
  const stub = forkModule({ file: join(import.meta.dirname, 'stub.ts'), logFile: join(directory, 'stub') }, 'rest');
  children.push(stub);
  const upstream = (await messageOf(stub)) as string;
  // A gateway for each, so that all have served as much when they are measured.
  const gateways = new Map<Variant, Postern>();
  for (const variant of variants) {
    const environment = { UPSTREAM_URL: upstream, COMPRESSION: variant.compression };
    const installation = await install(join(directory, variant.name), environment);
    const gateway = await startPostern(installation, { onOneCore: false });
    children.push(gateway.process);
    await firstAnswer(gateway, { query: '{ __typename }' });
    gateways.set(variant, gateway);
  }
  for (const name of ['few', 'all'] as const) {
    const { title, text } = operations[name];
    const figures = new Map(variants.map((variant) => [variant, [] as Figures[]]));
    for (let round = 0; round < warmUpRounds + rounds; round += 1) {
      for (const [variant, { url, process: gateway }] of gateways) {
        const measured = await load(new URL(url), gateway.pid ?? 0, text, variant.encoding);
        if (round >= warmUpRounds) figures.get(variant)?.push(measured);
      }
    }
    process.stdout.write(`${title}\n`);
    for (const [variant, measured] of figures) {
      const of = (figure: keyof Figures) => median(measured.map((each) => each[figure])).toFixed(0);
      process.stdout.write(
        `  ${variant.name.padEnd(22)} ${of('perSecond').padStart(6)} responses/s ${of('cpu').padStart(6)} µs of CPU ${of('bytes').padStart(8)} bytes\n`,
      );
    }
  }
} finally {
  for (const child of children) child.kill();
  await rm(directory, { recursive: true, force: true });
}
