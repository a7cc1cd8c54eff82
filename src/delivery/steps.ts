/** Work on many rows in small steps, with pauses of their lengths, so that nothing waits. */
import type { Logger } from 'pino';
import type { After } from './after.ts';
import { type Repeated, repeat } from './repeat.ts';

/** Milliseconds between looks. */
const lookMs = 1_000;

export interface StepsOptions {
  readonly logger: Logger;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
  readonly after: After;
}

/** @param step returns whether there may be more. @param failed the log line of a failed step */
export function startSteps(
  { logger, clock, after }: StepsOptions,
  step: () => Promise<boolean>,
  failed: string,
): Repeated {
  return repeat(after, async () => {
    const began = clock();
    const more = await step().catch((error: unknown) => {
      logger.error({ err: error }, failed);
      return false;
    });
    return more ? clock() - began : lookMs;
  });
}
