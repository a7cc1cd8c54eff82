/** A measurement: what a gateway does under a load, and what it costs meanwhile. */
import type { ChildProcess } from 'node:child_process';
import { hasSpareCore, messageOf } from './children.ts';
import type { LoadOrder, LoadResult } from './load.ts';
import type { Query } from './operations.ts';
import { allocatedIn, ask, isProbed } from './probing.ts';
import { cpuOf, peakOf, resetPeak } from './process-figures.ts';
import type { Running } from './targets.ts';

export interface Figures {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** CPU time of the gateway's process, with all its threads, per request in microseconds. */
  readonly cpu: number;
  /** Of that, what the system did not do for it. */
  readonly user: number;
  /** KiB that JavaScript allocates per request. */
  readonly allocated: number;
  /** Major garbage collections per 1,000 requests. */
  readonly collections: number;
  /** Peak resident memory in MiB. */
  readonly memory: number;
  /** How busy the core beside the gateway's was, with the upstream and the load generator, in percent. */
  readonly beside: number;
  /** CPU time of the database server per request in microseconds; NaN without one. */
  readonly database: number;
}

/** The processes beside the gateways. */
export interface Bench {
  /** None in embedded mode. */
  readonly upstream?: ChildProcess;
  readonly load: ChildProcess;
}

type Load = Pick<LoadOrder, 'connections' | 'ms'> & { readonly perSecond?: number };

export async function measure(
  { upstream, load }: Bench,
  { process: gateway, url, key, databaseCpu = () => Number.NaN }: Running,
  { text: query, prefix }: Query,
  { connections, ms, perSecond }: Load,
): Promise<Figures> {
  const run = async (duration: number): Promise<LoadResult> => {
    const order: LoadOrder = { url, key, query, prefix, connections, ms: duration, perSecond: perSecond ?? null };
    load.send(order);
    await messageOf(load);
    load.send('start');
    return (await messageOf(load)) as LoadResult;
  };
  const pids = [gateway, load, ...(upstream === undefined ? [] : [upstream])].map(({ pid = 0 }) => pid);
  const [ownPid = 0] = pids;
  const probed = isProbed(gateway);
  resetPeak(ownPid);
  const before = pids.map(cpuOf);
  const databaseBefore = databaseCpu();
  const usageBefore = probed ? await ask(gateway, 'usage') : null;
  const { count, tookMs, p50, p99 } = await run(ms);
  const ofDatabase = databaseCpu() - databaseBefore;
  const usage = probed ? await ask(gateway, 'usage') : null;
  const [ofGateway = 0, ...others] = pids.map((pid, n) => cpuOf(pid) - (before[n] ?? 0));
  const beside = hasSpareCore ? Math.max(...others) : others.reduce((sum, each) => sum + each, 0);
  const memory = peakOf(ownPid);
  const user = usage !== null && usageBefore !== null ? usage.user - usageBefore.user : Number.NaN;
  const collections = usage !== null && usageBefore !== null ? usage.collections - usageBefore.collections : Number.NaN;
  return {
    perSecond: (count / tookMs) * 1_000,
    p50,
    p99,
    cpu: ofGateway / count,
    user: user / count,
    allocated: probed ? await allocationOf(gateway, () => run(ms * sampledShare)) : Number.NaN,
    collections: (collections / count) * 1_000,
    memory,
    beside: beside / tookMs / 10,
    database: ofDatabase / count,
  };
}

/** How long allocation is sampled, as a share of the time of the measurement: it would add to its CPU time. */
const sampledShare = 0.25;

async function allocationOf(gateway: ChildProcess, run: () => Promise<LoadResult>): Promise<number> {
  await ask(gateway, 'sample');
  const { count } = await run();
  return allocatedIn(await ask(gateway, 'sampled')) / count / 1_024;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [lower = Number.NaN, upper = Number.NaN] = sorted.slice(middle - 1 + (sorted.length % 2));
  return sorted.length % 2 === 1 ? lower : (lower + upper) / 2;
}
