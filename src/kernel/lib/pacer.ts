/** Paces work that many wait for at once: a few pieces for each turn of the event loop, so that requests are served in between. */
import { setImmediate } from 'node:timers';

export interface Pacer {
  /** Resolves when the caller may do its piece of work. */
  next(): Promise<void>;
}

/** @param size pieces of work in one turn of the event loop, at least 1 */
export function createPacer(size: number): Pacer {
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
      // Each batch schedules the next one: without it nothing would ever fill `left` again.
      if (started.length > 0) schedule();
    });
  };
  return {
    async next() {
      schedule();
      if (left > 0) left -= 1;
      else
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
        });
    },
  };
}
