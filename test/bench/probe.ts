/**
 * Loaded into a gateway before its own code (`--import`): tells over the channel of its parent what the process has used,
 * and samples what it allocates. A sample counts what has been collected since, so other load on the machine does not matter.
 */
import { Session } from 'node:inspector';
import { constants, PerformanceObserver } from 'node:perf_hooks';
import type { Answers, Question } from './probing.ts';

let collections = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    const detail: unknown = Reflect.get(entry, 'detail');
    if (Object(detail).kind === constants.NODE_PERFORMANCE_GC_MAJOR) collections += 1;
  }
}).observe({ entryTypes: ['gc'] });

const session = new Session();
session.connect();
const sampling = {
  samplingInterval: 16_384,
  includeObjectsCollectedByMajorGC: true,
  includeObjectsCollectedByMinorGC: true,
};

const answer = <Asked extends Question>(value: Answers[Asked]) => process.send?.(value);

process.on('message', (question: Question) => {
  if (question === 'usage') {
    const { user, system } = process.cpuUsage();
    answer<'usage'>({ user, system, collections });
  } else if (question === 'memory') {
    globalThis.gc?.();
    answer<'memory'>(process.memoryUsage());
  } else if (question === 'sample') {
    session.post('HeapProfiler.startSampling', sampling, () => answer<'sample'>(true));
  } else {
    session.post('HeapProfiler.stopSampling', (_error, { profile }) => answer<'sampled'>(profile.head));
  }
});
// The channel keeps no process alive.
process.channel?.unref();
