/** A few pieces of work per turn of the event loop, so that requests are served in between. */
import { setImmediate } from 'node:timers';

export type Pacer = ReturnType<typeof createPacer>;

/** @param size pieces in one turn */
export function createPacer(size: number) {
  const waiting: (() => void)[] = [];
  let left = size;
  let isScheduled = false;

  const schedule = () => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      const started = waiting.splice(0, size);
      left = size - started.length;
      for (const start of started) start();
      // Nothing else would fill `left` again.
      if (started.length > 0) schedule();
    });
  };
  return {
    async next(): Promise<void> {
      schedule();
      if (left > 0) left -= 1;
      else
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
        });
    },
  };
}
