import type { Logger } from 'pino';
import type { After } from './after.ts';

export interface Repeated {
  /** Resolves with the end of the current run. */
  close(): Promise<void>;
}

interface RepeatOptions {
  readonly logger: Logger;
  readonly after: After;
  /** The log line of a run that fails. */
  readonly failed: string;
  /** From a failed run to the next one, in milliseconds. */
  readonly retryMs: number;
}

/** At once, and again and again. @param work returns the milliseconds until its next run */
export function repeat({ logger, after, failed, retryMs }: RepeatOptions, work: () => Promise<number>): Repeated {
  let closed = false;
  let cancel = () => {};
  const run = async () => {
    const wait = await work().catch((error: unknown) => {
      logger.error({ err: error }, failed);
      return retryMs;
    });
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
