/** The SQL of retention, in steps that stay short whatever the number of events. */

import type { Transaction } from 'kysely';
import type { Clock } from '../kernel/lib/time-units.ts';
import type { Database } from '../store/database.ts';
import { isOneOf } from '../store/json.ts';
import type { CreationPosition } from '../store/keyset.ts';
import type { Tables } from '../store/schema.ts';
import { inTransaction } from '../store/transaction.ts';

export const firstPosition: CreationPosition = { created_at: 0, id: '' };

interface Step {
  /** The next step's start; null after all events. */
  readonly next: CreationPosition | null;
  readonly deletedEvents: number;
  /** Without the wait for a connection. */
  readonly tookMs: number;
}

/**
 * Deletes events created before `before` that have no pending delivery, with their deliveries, if need be in several
 * steps.
 * @param before epoch milliseconds
 * @param size events to read, and deliveries to delete, at most
 */
export function deleteStep(
  database: Database,
  { before, from, size }: { readonly before: number; readonly from: CreationPosition; readonly size: number },
  clock: Clock,
): Promise<Step> {
  return inTransaction(database, async (transaction) => {
    const began = clock();
    const took = () => clock() - began;
    const events = await eventsBehind(transaction, from, { before, size });
    const old = events.filter(({ pending }) => pending === null).map(({ id }) => id);
    if (!(await deleteDeliveries(transaction, old, size))) {
      return { next: from, deletedEvents: 0, tookMs: took() };
    }
    const deletedEvents = await deleteEvents(transaction, old);
    return { next: events.length < size ? null : (events.at(-1) ?? null), deletedEvents, tookMs: took() };
  });
}

const eventsBehind = (
  transaction: Transaction<Tables>,
  { created_at, id }: CreationPosition,
  { before, size }: { readonly before: number; readonly size: number },
) =>
  transaction
    .selectFrom('events')
    .select((query) => [
      'id',
      'created_at',
      query
        .selectFrom('deliveries')
        .select('deliveries.id')
        .whereRef('deliveries.event_id', '=', 'events.id')
        .where('deliveries.state', '=', 'pending')
        .limit(1)
        .as('pending'),
    ])
    .where('created_at', '>=', created_at)
    .where('created_at', '<', before)
    .where(({ or, eb }) => or([eb('created_at', '>', created_at), eb('id', '>', id)]))
    .orderBy('created_at')
    .orderBy('id')
    .limit(size)
    // Other processes delete other events.
    .forUpdate('events')
    .skipLocked()
    .execute();

/** @returns whether these were all that can be deleted now */
async function deleteDeliveries(
  transaction: Transaction<Tables>,
  events: readonly string[],
  size: number,
): Promise<boolean> {
  if (events.length === 0) return true;
  const finished = transaction
    .selectFrom('deliveries')
    .select('id')
    .where(isOneOf('event_id', events))
    .where('state', '!=', 'pending')
    .limit(size + 1)
    .forUpdate()
    .skipLocked();
  const ids = (await finished.execute()).map(({ id }) => id);
  if (ids.length > 0) {
    await transaction
      .deleteFrom('deliveries')
      .where(isOneOf('id', ids.slice(0, size)))
      .execute();
  }
  return ids.length <= size;
}

async function deleteEvents(transaction: Transaction<Tables>, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0;
  const { numDeletedRows } = await transaction
    .deleteFrom('events')
    .where(isOneOf('id', ids))
    // Redelivered or unsettled ones are left to a later sweep.
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('deliveries').select('deliveries.id').whereRef('deliveries.event_id', '=', 'events.id'))),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** Epoch milliseconds; null without events. */
export async function newestCreation(database: Database): Promise<number | null> {
  const newest = database.selectFrom('events').select('created_at').orderBy('created_at', 'desc').limit(1);
  return (await newest.executeTakeFirst())?.created_at ?? null;
}

/** Events of one statement. */
const countedAtOnce = 10_000;

/**
 * Counts events, newest first, in steps of ten thousand; those of one millisecond may be left out between steps.
 * Yields `pauseMs` between them.
 * @returns a time not before the creation of the newest event beyond the first `keep`; 0 without such
 */
export async function* creationBeyond(
  database: Database,
  keep: number,
  pauseMs: number,
): AsyncGenerator<number, number> {
  let left = keep;
  let before = Number.MAX_SAFE_INTEGER;
  while (left > 0) {
    const count = Math.min(left, countedAtOnce);
    const newest = database
      .selectFrom('events')
      .select('created_at')
      .where('created_at', '<', before)
      .orderBy('created_at', 'desc')
      .limit(count);
    const counted = await database
      .selectFrom(newest.as('newest'))
      .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min('created_at').as('oldest')])
      .executeTakeFirstOrThrow();
    if (Number(counted.count) < count) return 0;
    before = counted.oldest;
    left -= count;
    yield pauseMs;
  }
  return before;
}
