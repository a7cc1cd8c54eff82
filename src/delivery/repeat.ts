import type { After } from './worker.ts';

/** Work that is done again and again. */
export interface Repeated {
  /** Starts it no more. Resolves when the current run has ended. */
  close(): Promise<void>;
}

/**
 * Does work at once, and then again and again.
 * @param work never rejects; it returns the milliseconds until its next run
 */
export function repeat(after: After, work: () => Promise<number>): Repeated {
  let closed = false;
  let cancel = () => {};
  const run = async () => {
    const wait = await work();
    if (closed) return;
    cancel = after(wait, () => {
      running = run();
    });
  };
  let running = run();
  return {
    async close() {
      closed = true;
      cancel();
      await running;
    },
  };
}
