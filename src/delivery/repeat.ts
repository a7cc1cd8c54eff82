import type { Troubles } from '../kernel/troubles.ts';
import type { After } from './after.ts';

export interface Repeated {
  /** Resolves with the end of the current run. */
  close(): Promise<void>;
}

interface RepeatOptions {
  readonly troubles: Troubles;
  readonly after: After;
  /** The log line of the first run that fails. */
  readonly failed: string;
  /** From a failed run to the next one, in milliseconds. */
  readonly retryMs: number;
}

/** At once, and again and again. @param work returns the milliseconds until its next run */
export function repeat({ troubles, after, failed, retryMs }: RepeatOptions, work: () => Promise<number>): Repeated {
  const trouble = troubles.of(failed);
  let closed = false;
  let cancel = () => {};
  const run = async () => {
    let wait = retryMs;
    try {
      wait = await work();
      trouble.worked();
    } catch (error) {
      trouble.failed(error);
    }
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
