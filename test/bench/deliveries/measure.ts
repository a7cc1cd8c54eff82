/** The two measurements: how fast a queue that is full is delivered, and how soon an event arrives where nothing waits. */

import { messageOf } from '../children.ts';
import { percentile } from '../gateway.ts';
import { cpuOf, peakOf, resetPeak } from '../process-figures.ts';
import { call, expectRequests, type Installation } from './installation.ts';
import { requireSameRequest } from './same-request.ts';
import { serverCpuOf } from './server-cpu.ts';
import type { Target } from './targets.ts';

export interface Throughput {
  readonly perSecond: number;
  /** CPU time of the workers per delivery in microseconds. */
  readonly cpu: number;
  /** CPU time of the database server per delivery in microseconds. */
  readonly serverCpu: number;
  /** Peak resident memory of the largest worker in MiB. */
  readonly memory: number;
}

export interface Latency {
  /** Milliseconds from the call that emits to the first byte at the receiver. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

const clock = () => performance.timeOrigin + performance.now();

/** From the moment in which `count` deliveries are due to the one in which the outcome of the last is stored. */
export async function measureThroughput(
  target: Target,
  installation: Installation,
  count: number,
): Promise<Throughput> {
  const { producer, workers } = installation;
  await call(producer, { method: 'fill', count });
  return measureWork(target, installation, count, async () => {
    const releasedAt = Number(await call(producer, { method: 'release' }));
    await Promise.all(workers.map((worker) => call(worker, { method: 'wake', count: count / workers.length })));
    return releasedAt;
  });
}

/** Of workers that emit `count` events while they deliver them, to the first receiver. */
export const measureLive = (target: Target, installation: Installation, count: number): Promise<Throughput> =>
  measureWork(target, installation, count, async () => {
    const { workers } = installation;
    const began = clock();
    const each = count / workers.length;
    await Promise.all(workers.map((worker, n) => call(worker, { method: 'emitMany', from: n * each, count: each })));
    return began;
  });

/** @param begin returns the beginning, in epoch milliseconds */
async function measureWork(
  target: Target,
  installation: Installation,
  count: number,
  begin: () => Promise<number>,
): Promise<Throughput> {
  const { receiver, workers } = installation;
  const arrived = await expectRequests(receiver, { count, noteArrivals: false });
  const pids = workers.map(({ pid = 0 }) => pid);
  for (const pid of pids) resetPeak(pid);
  const cpu = () => pids.map(cpuOf).reduce((sum, each) => sum + each, 0);
  const before = { cpu: cpu(), server: await serverCpuOf(target, installation) };
  const began = await begin();
  const { first } = await arrived();
  await Promise.all(workers.map((worker) => call(worker, { method: 'settled' })));
  const seconds = (clock() - began) / 1_000;
  await requireNoMore(receiver, count);
  requireSameRequest(first);
  return {
    perSecond: count / seconds,
    cpu: (cpu() - before.cpu) / count,
    serverCpu: ((await serverCpuOf(target, installation)) - before.server) / count,
    memory: Math.max(...pids.map(peakOf)),
  };
}

/** Emits an event every `everyMs`; the first few are a warm-up. */
export async function measureLatency(
  { receiver, workers: [worker] }: Installation,
  { count, everyMs, warmUp }: { readonly count: number; readonly everyMs: number; readonly warmUp: number },
): Promise<Latency> {
  if (worker === undefined) throw new Error('There is no worker');
  const all = warmUp + count;
  const arrived = await expectRequests(receiver, { count: all, noteArrivals: true });
  const emitted = (await call(worker, { method: 'emitAll', from: 0, count: all, everyMs })) as number[];
  const { arrivals, first } = await arrived();
  await call(worker, { method: 'settled' });
  await requireNoMore(receiver, all);
  requireSameRequest(first);
  const times = arrivals.filter(([n]) => n >= warmUp).map(([n, at]) => at - (emitted[n] ?? Number.NaN));
  return { p50: percentile(times, 50), p99: percentile(times, 99), max: percentile(times, 100) };
}

/** What is delivered twice would count twice. */
async function requireNoMore(receiver: Installation['receiver'], count: number): Promise<void> {
  receiver.send('count');
  const received = await messageOf(receiver);
  if (received !== count) throw new Error(`${received} requests arrived, and not ${count}`);
}
