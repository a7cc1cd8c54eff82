/**
 * Loaded into a gateway before its own code (`--import`): tells over the channel of its parent what the process has used,
 * samples what it allocates, and counts what becomes old. Neither depends on other load on the machine: a sample has what has been
 * collected since.
 */
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { GCProfiler, type HeapProfileOptions, startHeapProfile } from 'node:v8';
import type { Answers, Question } from './probing.ts';

let collections = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    const detail: unknown = Reflect.get(entry, 'detail');
    if (Object(detail).kind === constants.NODE_PERFORMANCE_GC_MAJOR) collections += 1;
  }
}).observe({ entryTypes: ['gc'] });

// No collection is forced, as the inspector's profiler does: what V8 compiled is dropped with the types of objects of which none is
// left, and a gateway takes twice the CPU time until 20,000 further requests have been compiled for.
const sampling = {
  sampleInterval: 16_384,
  stackDepth: 128,
  includeObjectsCollectedByMajorGC: true,
  includeObjectsCollectedByMinorGC: true,
} satisfies HeapProfileOptions;

let profile: ReturnType<typeof startHeapProfile> | undefined;
let watching: GCProfiler | undefined;

const oldBytesIn = (spaces: readonly { readonly spaceName: string; readonly spaceUsedSize: number }[]): number =>
  spaces.reduce((sum, { spaceName, spaceUsedSize }) => sum + (spaceName.startsWith('new_') ? 0 : spaceUsedSize), 0);

const answer = <Asked extends Question>(value: Answers[Asked]) => process.send?.(value);

process.on('message', (question: Question) => {
  if (question === 'usage') {
    const { user, system } = process.cpuUsage();
    answer<'usage'>({ user, system, collections });
  } else if (question === 'memory') {
    globalThis.gc?.();
    answer<'memory'>(process.memoryUsage());
  } else if (question === 'sample') {
    profile = startHeapProfile(sampling);
    answer<'sample'>(true);
  } else if (question === 'watch') {
    watching = new GCProfiler();
    watching.start();
    answer<'watch'>(true);
  } else if (question === 'promoted') {
    if (watching === undefined) throw new Error('Nothing is watched');
    const { statistics } = watching.stop();
    const scavenges = statistics.filter(({ gcType }) => gcType === 'Scavenge');
    const promoted = scavenges.map(
      ({ beforeGC, afterGC }) => oldBytesIn(afterGC.heapSpaceStatistics) - oldBytesIn(beforeGC.heapSpaceStatistics),
    );
    answer<'promoted'>({ scavenges: promoted.length, bytes: promoted.reduce((sum, bytes) => sum + bytes, 0) });
  } else {
    if (profile === undefined) throw new Error('Nothing is sampled');
    answer<'sampled'>(JSON.parse(profile.stop()).head);
  }
});
// The channel keeps no process alive.
process.channel?.unref();
