/** Deletes what webhooks leave behind that were deleted, in small steps with pauses, so that nothing waits for it. */
import type { Logger } from 'pino';
import type { Database } from '../store/database.ts';
import type { DatabaseKind } from '../store/json-rows.ts';
import { removeStep } from '../webhooks/removal.ts';
import { type Repeated, repeat } from './repeat.ts';
import type { After } from './worker.ts';

/** How often to look for webhooks that were deleted. */
const lookMs = 1_000;

export interface RemovalOptions {
  readonly database: Database;
  readonly kind: DatabaseKind;
  readonly logger: Logger;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
  readonly after: After;
}

export function startRemoval({ database, kind, logger, clock, after }: RemovalOptions): Repeated {
  return repeat(after, async () => {
    const began = clock();
    const more = await removeStep(database, kind).catch((error: unknown) => {
      logger.error({ err: error }, 'the deliveries of a deleted webhook could not be deleted');
      return false;
    });
    return more ? clock() - began : lookMs;
  });
}
