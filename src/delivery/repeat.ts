import type { After } from './after.ts';

export interface Repeated {
  /** Resolves with the end of the current run. */
  close(): Promise<void>;
}

/** At once, and again and again. @param work never rejects; returns the milliseconds until its next run */
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
