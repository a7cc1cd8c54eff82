/**
 * Variants of a request, or of a gateway, compared in proxy mode over one service: responses a second, CPU time and bytes for each. They
 * take turns in short rounds, so that whatever else the machine does meets all alike.
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
import { cpuOf } from './process-figures.ts';
import type { Running } from './targets.ts';

const rounds = Number(process.env.ROUNDS ?? 9);
const ms = Number(process.env.ROUND_MS ?? 700);
const connections = 16;
/** For compilers. */
const warmUpRounds = 4;

export interface Variant {
  readonly name: string;
  /**
   * Starts the gateway of this variant. Each has its own, so that all have served as much when they are measured.
   * @param directory for its database and log
   */
  start(upstream: string, directory: string): Promise<Running>;
  /** What is sent for an operation and its variables. By default its text, by POST. */
  readonly request?: (text: string, variables: Variables) => SentRequest;
  /** Sent besides those that each request needs. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether all requests are about one list, in place of another each time. */
  readonly same?: boolean;
}

export interface Variables {
  readonly of: string;
}

/** Text is sent by POST; null is a GET. */
export interface SentRequest {
  /** Behind the path. */
  readonly search?: string;
  readonly body: string | null;
}

interface Figures {
  readonly perSecond: number;
  /** Of the gateway for each request, in microseconds. */
  readonly cpu: number;
  /** The length of a request. */
  readonly sent: number;
  /** The length of a response's body. */
  readonly received: number;
}

/** A POST of the document. */
const byText: NonNullable<Variant['request']> = (query, variables) => ({ body: JSON.stringify({ query, variables }) });

let sent = 0;

/** Measures the variants over a service of 10 posts and of 100, and prints the medians. */
export async function compareVariants(variants: readonly Variant[]): Promise<void> {
  const children: ChildProcess[] = [];
  const directory = await mkdtemp(join(tmpdir(), 'postern-bench-'));
  try {
    const stub = forkModule({ file: join(import.meta.dirname, 'stub.ts'), logFile: join(directory, 'stub') }, 'rest');
    children.push(stub);
    const upstream = (await messageOf(stub)) as string;
    const running = new Map<Variant, Running>();
    for (const [n, variant] of variants.entries()) {
      const started = await variant.start(upstream, join(directory, String(n)));
      children.push(started.process);
      running.set(variant, started);
    }
    for (const name of ['few', 'all'] as const) {
      const { title, text } = operations[name];
      process.stdout.write(`${title}\n${table(await takeTurns(running, text))}`);
    }
  } finally {
    for (const child of children) child.kill();
    await rm(directory, { recursive: true, force: true });
  }
}

async function takeTurns(running: ReadonlyMap<Variant, Running>, text: string): Promise<Map<Variant, Figures[]>> {
  const figures = new Map([...running.keys()].map((variant) => [variant, [] as Figures[]]));
  for (let round = 0; round < warmUpRounds + rounds; round += 1) {
    for (const [variant, target] of running) {
      const measured = await load(variant, target, text);
      if (round >= warmUpRounds) figures.get(variant)?.push(measured);
    }
  }
  return figures;
}

/** Closed load: a request is under way on each connection. */
async function load(variant: Variant, { url: address, key, process: target }: Running, text: string): Promise<Figures> {
  const url = new URL(address);
  const open = await Promise.all(Array.from({ length: connections }, () => openConnection(url)));
  const pid = target.pid ?? 0;
  const before = cpuOf(pid);
  const started = performance.now();
  let [count, bytesSent, bytesReceived] = [0, 0, 0];
  const client = async ({ send }: (typeof open)[number]) => {
    while (performance.now() - started < ms) {
      const request = requestOf(variant, { url, key, text });
      const response = await send(request);
      if (response.status !== 200) throw new Error(`${variant.name}: ${url} answered ${response.status}`);
      count += 1;
      bytesSent += Buffer.byteLength(request);
      bytesReceived += response.bytes;
    }
  };
  await Promise.all(open.map(client));
  const seconds = (performance.now() - started) / 1_000;
  for (const connection of open) connection.close();
  return {
    perSecond: count / seconds,
    cpu: (cpuOf(pid) - before) / count,
    sent: bytesSent / count,
    received: bytesReceived / count,
  };
}

function requestOf(
  { request = byText, headers = {}, same = false }: Variant,
  { url, key, text }: { readonly url: URL; readonly key: string; readonly text: string },
): string {
  sent += 1;
  const variables = { of: `ACo${String(same ? 0 : sent).padStart(9, '0')}` };
  const { body, search = '' } = request(text, variables);
  const head = {
    host: url.host,
    'x-api-key': key,
    ...(body === null ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
    ...headers,
  };
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${body === null ? 'GET' : 'POST'} ${url.pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`;
}

function table(figures: ReadonlyMap<Variant, readonly Figures[]>): string {
  const width = Math.max(...[...figures.keys()].map(({ name }) => name.length));
  const rows = [...figures].map(([{ name }, measured]) => {
    const of = (figure: keyof Figures) => median(measured.map((each) => each[figure])).toFixed(0);
    return `  ${name.padEnd(width)} ${of('perSecond').padStart(6)} responses/s ${of('cpu').padStart(6)} µs of CPU ${of('sent').padStart(6)} bytes sent ${of('received').padStart(8)} received\n`;
  });
  return rows.join('');
}
