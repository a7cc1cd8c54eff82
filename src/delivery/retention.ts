/** Deletes old events with their deliveries, in small steps, so that nothing waits for it. */
import type { Logger } from 'pino';
import type { Database } from '../store/database.ts';
import type { After } from './worker.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** Events of one step, and the pause between steps while there are more. */
const eventsOfStep = 100;
const betweenStepsMs = 200;
/** The pause between sweeps. */
const betweenSweepsMs = 10 * 60 * 1000;

export interface Retention {
  /** Starts no further step. Resolves when the current one has ended. */
  close(): Promise<void>;
}

export function startRetention({
  database,
  days,
  now,
  after,
  logger,
}: {
  readonly database: Database;
  readonly days: number;
  readonly now: () => Date;
  readonly after: After;
  readonly logger: Logger;
}): Retention {
  let closed = false;
  let cancel = () => {};
  let step: Promise<void> = Promise.resolve();
  const next = (ms: number) => {
    if (closed) return;
    cancel = after(ms, () => {
      step = deleteOldEvents(database, now().getTime() - days * dayMs).then(
        (deleted) => next(deleted === eventsOfStep ? betweenStepsMs : betweenSweepsMs),
        (error: unknown) => {
          logger.error({ err: error }, 'old events could not be deleted');
          next(betweenSweepsMs);
        },
      );
    });
  };
  next(betweenStepsMs);
  return {
    async close() {
      closed = true;
      cancel();
      await step;
    },
  };
}

/**
 * Deletes up to a hundred of the events that were created before `before` and have no pending delivery, oldest first.
 * @param before epoch milliseconds
 * @returns how many were deleted
 */
export async function deleteOldEvents(database: Database, before: number): Promise<number> {
  const old = database
    .selectFrom('events')
    .select('events.id')
    .where('events.created_at', '<', before)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('deliveries')
            .select('deliveries.id')
            .whereRef('deliveries.event_id', '=', 'events.id')
            .where('deliveries.state', '=', 'pending'),
        ),
      ),
    )
    .orderBy('events.created_at')
    .limit(eventsOfStep);
  const { numDeletedRows } = await database.deleteFrom('events').where('id', 'in', old).executeTakeFirst();
  return Number(numDeletedRows);
}
