/** A measurement: what a gateway does under a load, and what it costs meanwhile. */
import type { ChildProcess } from 'node:child_process';
import { hasSpareCore, messageOf } from './children.ts';
import type { LoadOrder, LoadResult } from './load.ts';
import { type OperationName, operations } from './operations.ts';
import { cpuOf, peakOf, resetPeak } from './process-figures.ts';
import type { Running } from './targets.ts';

export interface Figures {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** CPU time of the gateway's process per request in microseconds. */
  readonly cpu: number;
  /** Peak resident memory in MiB. */
  readonly memory: number;
  /** How busy the core beside the gateway's was, with the upstream and the load generator, in percent. */
  readonly beside: number;
}

/** The processes beside the gateways. */
export interface Bench {
  readonly upstream: ChildProcess;
  readonly load: ChildProcess;
}

type Load = Pick<LoadOrder, 'connections' | 'ms'> & { readonly perSecond?: number };

export async function measure(
  { upstream, load }: Bench,
  { process: gateway, url, key }: Running,
  name: OperationName,
  { connections, ms, perSecond }: Load,
): Promise<Figures> {
  const { text: query, prefix } = operations[name];
  const order: LoadOrder = { url, key, query, prefix, connections, ms, perSecond: perSecond ?? null };
  load.send(order);
  await messageOf(load);
  const pids = [gateway.pid ?? 0, upstream.pid ?? 0, load.pid ?? 0] as const;
  resetPeak(pids[0]);
  const before = pids.map(cpuOf);
  load.send('start');
  const { count, tookMs, p50, p99 } = (await messageOf(load)) as LoadResult;
  const [ofGateway = 0, ...others] = pids.map((pid, n) => cpuOf(pid) - (before[n] ?? 0));
  const beside = hasSpareCore ? Math.max(...others) : others.reduce((sum, each) => sum + each, 0);
  return {
    perSecond: (count / tookMs) * 1_000,
    p50,
    p99,
    cpu: ofGateway / count,
    memory: peakOf(pids[0]),
    beside: beside / tookMs / 10,
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [lower = Number.NaN, upper = Number.NaN] = sorted.slice(middle - 1 + (sorted.length % 2));
  return sorted.length % 2 === 1 ? lower : (lower + upper) / 2;
}
