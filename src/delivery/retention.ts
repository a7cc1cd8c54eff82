/**
 * Deletes old events, deliveries and statistics in steps of some milliseconds, so that nothing waits. Pauses are in
 * proportion to steps: deletion keeps up, as storing an event takes longer than deleting it among many.
 */

import { deleteOldStatistics } from '../capabilities/deliveries/attempt-counts.ts';
import { type Clock, day } from '../kernel/lib/time-units.ts';
import type { Troubles } from '../kernel/troubles.ts';
import type { Database } from '../store/database.ts';
import type { DatabaseKind } from '../store/json.ts';
import type { CreationPosition } from '../store/keyset.ts';
import { noTelemetry, type Telemetry } from '../telemetry/telemetry.ts';
import type { After } from './after.ts';
import { type Repeated, repeat } from './repeat.ts';
import { creationBeyond, deleteStep, firstPosition } from './retention-step.ts';

interface Pace {
  /** Target of a step. */
  readonly stepMs: number;
  /** Pause, in steps. */
  readonly rest: number;
}

/** On SQLite requests wait for a step; Postgres works on meanwhile. */
const paces: Readonly<Record<DatabaseKind, Pace>> = {
  sqlite: { stepMs: 10, rest: 3 },
  postgres: { stepMs: 100, rest: 1 },
};
/** Events and deliveries of a step. */
const size = { first: 100, least: 50, most: 5_000 } as const;
const betweenSweepsMs = 30_000;
const firstSweepMs = 200;

interface RetentionOptions {
  readonly database: Database;
  readonly kind: DatabaseKind;
  readonly retentionDays: number;
  /** The newest events; 0 for any number. */
  readonly maxEvents: number;
  readonly now: () => Date;
  readonly clock: Clock;
  readonly after: After;
  readonly troubles: Troubles;
  readonly telemetry?: Pick<Telemetry, 'metrics'>;
}

/** How long a clock must have been ahead before old rows are deleted by it: nothing deleted comes back. */
const believedAfterMs = day;

/** The time by the slowest of the readings of the last day, as wall clocks may jump ahead. */
export function cautiousTime(now: () => Date, clock: Clock): () => number {
  let readings: { readonly at: number; readonly offset: number }[] = [];
  return () => {
    const at = clock();
    const offset = now().getTime() - at;
    // Of an earlier reading that is not below this one nothing is needed.
    readings = readings.filter((reading) => at - reading.at < believedAfterMs && reading.offset < offset);
    readings.push({ at, offset });
    return at + (readings[0]?.offset ?? offset);
  };
}

export function startRetention({ now, ...given }: RetentionOptions): Repeated {
  const time = cautiousTime(now, given.clock);
  const options = { ...given, now: () => new Date(time()) };
  let pauses = firstSweep(options);
  const failed = 'old events could not be deleted';
  // A generator that has failed is done.
  return repeat({ ...options, failed, retryMs: 0 }, async () => {
    const { value, done } = await pauses.next();
    if (done !== true) return value;
    pauses = sweep(options);
    return betweenSweepsMs;
  });
}

async function* firstSweep(options: RetentionOptions): AsyncGenerator<number, void> {
  yield firstSweepMs;
  yield* sweep(options);
}

/** Yields milliseconds to wait. */
async function* sweep(options: RetentionOptions): AsyncGenerator<number, void> {
  const { database, maxEvents, retentionDays, kind, now, clock, telemetry = noTelemetry } = options;
  const { metrics } = telemetry;
  const { stepMs, rest } = paces[kind];
  const began = clock();
  const old = now().getTime() - retentionDays * day;
  const surplus = maxEvents === 0 ? 0 : yield* creationBeyond(database, maxEvents, rest * stepMs);
  const before = Math.max(old, surplus);
  let [from, stepSize]: [CreationPosition | null, number] = [firstPosition, size.first];
  while (from !== null) {
    const step = { before, from, size: stepSize };
    const { next, tookMs, deletedEvents } = await deleteStep(database, kind, step, clock);
    metrics?.count('postern.retention.deleted', {}, deletedEvents);
    from = next;
    stepSize = nextSize(stepSize, stepMs / tookMs);
    if (from !== null) yield rest * tookMs;
  }
  while (await deleteOldStatistics(database, kind, now().getTime())) yield rest * stepMs;
  metrics?.record('postern.retention.sweep.duration', (clock() - began) / 1_000, {});
}

/** By half at most: one step that waited says little. @param wanted takes the target time, in current sizes */
function nextSize(current: number, wanted: number): number {
  const factor = Math.min(1.5, Math.max(0.5, wanted));
  return Math.round(Math.min(size.most, Math.max(size.least, current * factor)));
}
