/**
 * Work of a process that fails while its database is away, again and again: the log has one line when the database goes
 * away, whatever fails by it, and one when it is back. What fails for another reason has such lines of its own.
 */
import type { Logger } from 'pino';
import { ServiceError } from './errors.ts';

/** Trouble of one piece of work. */
export interface Trouble {
  failed(error: unknown): void;
  worked(): void;
}

export type Troubles = ReturnType<typeof createTroubles>;

interface TroubleOptions {
  readonly level?: 'error' | 'warn';
  /** Whether nothing repeats the work: then it does not say whether the database is away. */
  readonly onDemand?: boolean;
}

/** Reasons of faults (store/faults.ts) of one row, or of the moment. Any other fault is the database's. */
const passing: ReadonlySet<unknown> = new Set(['slow', 'conflict']);
const isAway = (error: unknown) => error instanceof ServiceError && 'reason' in error && !passing.has(error.reason);

export function createTroubles(logger: Logger) {
  /** What fails because the database is away, and is tried again and again. */
  const waiting = new Set<Trouble>();

  /** @param message of the log, if it fails for a reason of its own */
  function of(message: string, { level = 'error', onDemand = false }: TroubleOptions = {}): Trouble {
    let isTold = false;
    const trouble: Trouble = {
      failed(error) {
        if (isAway(error) && !onDemand) {
          if (waiting.size === 0)
            logger.error({ err: error, work: message }, 'the database cannot be used: work waits');
          waiting.add(trouble);
          return;
        }
        leave();
        if (isTold || waiting.size > 0) return;
        logger[level]({ err: error }, message);
        isTold = true;
      },
      worked() {
        leave();
        if (isTold) logger.info({ work: message }, 'work that failed goes on');
        isTold = false;
      },
    };
    const leave = () => {
      if (waiting.delete(trouble) && waiting.size === 0) logger.info('the database can be used again');
    };
    return trouble;
  }
  return { of };
}
