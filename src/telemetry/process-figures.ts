/** Figures of the process itself: the build, the event loop, CPU time and memory. */
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { buildVersion } from '../kernel/build-version.ts';
import type { Metrics } from './telemetry.ts';

/** How often the delay of the event loop is measured, in milliseconds. */
const resolutionMs = 10;
const nanoseconds = 1e9;
const microseconds = 1e6;

export function observeProcess(metrics: Metrics): { stop(): void } {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  // The histogram counts the interval of its timer, too.
  const seconds = (value: number) => Math.max(0, value / nanoseconds - resolutionMs / 1_000);
  metrics.observe('postern.build.info', () => [[1, { version: buildVersion, node: process.version }]]);
  metrics.observe('nodejs.eventloop.delay.p99', () => {
    // Nothing was measured yet after a collection that came a moment ago.
    return delay.count === 0 ? [] : [[seconds(delay.percentile(99)), {}]];
  });
  metrics.observe('nodejs.eventloop.delay.max', () => {
    const max = delay.count === 0 ? [] : [[seconds(delay.max), {}] as const];
    // The last of those that read it: they are read in the order of their registration.
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
