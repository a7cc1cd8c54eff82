import type { After } from '../kernel/lib/after.ts';
import type { Clock } from '../kernel/lib/time-units.ts';
import type { Troubles } from '../kernel/troubles.ts';

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

const workLookMs = 1_000;

interface StepsOptions {
  readonly troubles: Troubles;
  readonly clock: Clock;
  readonly after: After;
}

export interface WaitingWebhooks {
  /** The first of them behind another one, in the order of their ids. */
  next(behind: string): Promise<string | undefined>;
  /** @returns whether there may be more to do for this one; `locked` if others have locked what is next */
  step(webhookId: string): Promise<boolean | 'locked'>;
}

/** Work on many rows in small steps, with pauses of their lengths, so that nothing waits. @param failed the log line of a failed step */
export function startSteps(
  { troubles, clock, after }: StepsOptions,
  webhooks: WaitingWebhooks,
  failed: string,
): Repeated {
  const step = inTurn(webhooks);
  return repeat({ troubles, after, failed, retryMs: workLookMs }, async () => {
    const began = clock();
    return (await step()) ? clock() - began : workLookMs;
  });
}

/**
 * One step of each after the other: those whose steps fail, or are many, hold up no others.
 * @returns takes a step, and says whether there may be more now
 */
export function inTurn({ next, step }: WaitingWebhooks): () => Promise<boolean> {
  let last = '';
  return async () => {
    const webhookId = (await next(last)) ?? (last === '' ? undefined : await next(''));
    last = webhookId ?? '';
    if (webhookId === undefined) return false;
    return (await step(webhookId)) !== 'locked';
  };
}
