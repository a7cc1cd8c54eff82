/** Work on many rows in small steps with pauses as long as they took, so that nothing waits for it. */
import type { Logger } from 'pino';
import { type Repeated, repeat } from './repeat.ts';
import type { After } from './worker.ts';

/** How often to look for work. */
const lookMs = 1_000;

export interface StepsOptions {
  readonly logger: Logger;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
  readonly after: After;
}

/**
 * Takes steps again and again.
 * @param step does some of the work. @returns whether there may be more
 * @param failed the line of the log for a step that fails
 */
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
