/** Finds the times in which nothing happens, of which there are days: they are passed over. */
import type { World } from './world.ts';

const dayMs = 24 * 3_600_000;
/** After this long engines are no longer busy with the last thing that happened. */
const busyMs = 2_500;
/** It is not worth while to pass over less. */
const leastMs = 1_000;
/** Engines look about by themselves for this long before something is due. */
const earlyMs = 300;

/** @returns until when nothing happens; null if something does */
export function idleUntil(world: World): number | null {
  const { scheduler, database, lock, scenario, random, databaseFaults } = world;
  // A statement is under way, however long it takes.
  if (lock.isHeld) return null;
  const lastHappening = Math.max(world.lastHappening, databaseFaults.lastAt);
  const occurs = scheduler.nextOccurrence();
  if (occurs - scheduler.now <= leastMs) return null;
  const claimed = database.all('select 1 from deliveries where claim_token is not null limit 1').length > 0;
  if (claimed && scheduler.now - lastHappening < busyMs) return null;
  const [due] = database.all<{ next_at: number | null }>(
    "select min(next_at) as next_at from deliveries where state = 'pending'",
  );
  const until = Math.min(
    occurs,
    toVirtual(world, due?.next_at ?? null),
    scenario.name === 'retention' ? nextDeletion(world) : occurs,
  );
  if (!Number.isFinite(until) || until - scheduler.now <= leastMs) return null;
  return until - random.int(earlyMs);
}

const toVirtual = ({ scheduler, clock }: World, time: number | null): number =>
  time === null ? Number.POSITIVE_INFINITY : scheduler.now + (time - clock());

/** When the next event is too old. Events that are too many are deleted now. */
function nextDeletion(world: World): number {
  const { retentionDays, maxEvents } = world.scenario;
  const [events] = world.database.all<{ oldest: number | null }>(`
    select min(created_at) as oldest from events
    where not exists (select 1 from deliveries where event_id = events.id and state = 'pending')`);
  if (events === undefined || events.oldest === null) return Number.POSITIVE_INFINITY;
  // Of those of one millisecond all are kept, or none.
  const [kept] = world.database.all<{ created_at: number }>(
    'select created_at from events order by created_at desc limit 1 offset ?',
    maxEvents - 1,
  );
  if (maxEvents > 0 && kept !== undefined && events.oldest < kept.created_at) return world.scheduler.now;
  return toVirtual(world, events.oldest + retentionDays * dayMs);
}
