/**
 * Deletes old events, deliveries and statistics in steps of some milliseconds, so that nothing waits. Pauses are in
 * proportion to steps: deletion keeps up, as storing an event takes longer than deleting it among many.
 */

import { deleteOldStatistics } from '../capabilities/deliveries/attempt-counts.ts';
import type { After } from '../kernel/lib/after.ts';
import { cautiousTime } from '../kernel/lib/cautious-time.ts';
import { type Clock, day } from '../kernel/lib/time-units.ts';
import type { Troubles } from '../kernel/troubles.ts';
import type { Database } from '../store/database.ts';
import { isPostgres } from '../store/is-postgres.ts';
import type { CreationPosition } from '../store/keyset.ts';
import { forgetDeletedBytes } from '../store/stored-bytes.ts';
import { noTelemetry, type Telemetry } from '../telemetry/telemetry.ts';
import { type Repeated, repeat } from './repeat.ts';
import { creationBeyond, deleteStep, firstPosition, newestCreation } from './retention-step.ts';

/** Target of a step, and pause in steps. On SQLite requests wait for a step; Postgres works on meanwhile. */
const paces = { sqlite: { stepMs: 10, rest: 3 }, postgres: { stepMs: 100, rest: 1 } } as const;
/** Events and deliveries of a step. */
const size = { first: 100, least: 50, most: 5_000 } as const;
const betweenSweepsMs = 30_000;
const firstSweepMs = 200;

interface RetentionOptions {
  readonly database: Database;
  readonly retentionDays: number;
  /** The newest events; 0 for any number. */
  readonly maxEvents: number;
  readonly now: () => Date;
  readonly clock: Clock;
  readonly after: After;
  readonly troubles: Troubles;
  readonly telemetry?: Pick<Telemetry, 'metrics'>;
}

export function startRetention({ now, ...given }: RetentionOptions): Repeated {
  let time: (() => number) | null = null;
  let pauses: AsyncGenerator<number, void> | null = null;
  let oldestDay = 0;
  const failed = 'old events could not be deleted';
  return repeat({ ...given, failed, retryMs: betweenSweepsMs }, async () => {
    if (time === null) {
      time = cautiousTime(now, given.clock, await newestCreation(given.database));
      return firstSweepMs;
    }
    const cautious = time;
    pauses ??= sweep({ ...given, now: () => new Date(cautious()) });
    // A generator that has failed is done.
    const { value, done } = await pauses.next();
    if (done !== true) return value;
    pauses = null;
    oldestDay = await forgetDeletedBytes(given.database, cautious(), oldestDay);
    return betweenSweepsMs;
  });
}

/** Yields milliseconds to wait. */
async function* sweep(options: RetentionOptions): AsyncGenerator<number, void> {
  const { database, maxEvents, retentionDays, now, clock, telemetry = noTelemetry } = options;
  const { metrics } = telemetry;
  const { stepMs, rest } = isPostgres(database) ? paces.postgres : paces.sqlite;
  const began = clock();
  const old = now().getTime() - retentionDays * day;
  const surplus = maxEvents === 0 ? 0 : yield* creationBeyond(database, maxEvents, rest * stepMs);
  const before = Math.max(old, surplus);
  let [from, stepSize]: [CreationPosition | null, number] = [firstPosition, size.first];
  while (from !== null) {
    const step = { before, from, size: stepSize };
    const { next, tookMs, deletedEvents } = await deleteStep(database, step, clock);
    metrics?.count('postern.retention.deleted', {}, deletedEvents);
    from = next;
    stepSize = nextSize(stepSize, stepMs / tookMs);
    if (from !== null) yield rest * tookMs;
  }
  while (await deleteOldStatistics(database, now().getTime())) yield rest * stepMs;
  metrics?.record('postern.retention.sweep.duration', (clock() - began) / 1_000, {});
}

/** By half at most: one step that waited says little. @param wanted takes the target time, in current sizes */
function nextSize(current: number, wanted: number): number {
  const factor = Math.min(1.5, Math.max(0.5, wanted));
  return Math.round(Math.min(size.most, Math.max(size.least, current * factor)));
}
