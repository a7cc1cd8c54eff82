import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { buildVersion } from '../kernel/build-version.ts';
import type { Metrics } from './telemetry.ts';

const resolutionMs = 10;
const nanoseconds = 1e9;
const microseconds = 1e6;

export function observeProcess(metrics: Metrics): { stop(): void } {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  // The histogram counts its timer's interval, too.
  const seconds = (value: number) => Math.max(0, value / nanoseconds - resolutionMs / 1_000);
  metrics.observe('postern.build.info', () => [[1, { version: buildVersion, node: process.version }]]);
  metrics.observe('nodejs.eventloop.delay.p99', () => {
    // Nothing was measured since the last collection.
    return delay.count === 0 ? [] : [[seconds(delay.percentile(99)), {}]];
  });
  metrics.observe('nodejs.eventloop.delay.max', () => {
    const max = delay.count === 0 ? [] : [[seconds(delay.max), {}] as const];
    // The last reader: they run in the order of registration.
    delay.reset();
    return max;
  });
  metrics.observe('nodejs.eventloop.utilization', () => [[performance.eventLoopUtilization().utilization, {}]]);
  metrics.observe('process.cpu.time', () => {
    const { user, system } = process.cpuUsage();
    return [
      [user / microseconds, { 'cpu.mode': 'user' }],
      [system / microseconds, { 'cpu.mode': 'system' }],
    ];
  });
  metrics.observe('process.memory.usage', () => [[process.memoryUsage.rss(), {}]]);
  return { stop: () => delay.disable() };
}
