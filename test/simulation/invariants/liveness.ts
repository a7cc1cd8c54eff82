/** What must be so in the end, when nothing is wrong any more: every delivery has found its end. */
import { require, type World } from '../world.ts';
import type { History } from './history.ts';
import { readSnapshot } from './snapshot.ts';

const dayMs = 24 * 3_600_000;

/** Whether nothing is on its way any more. What is held may still be being sent, until its lease ends. */
export const isSettled = ({ database, clock }: World): boolean =>
  database.all(
    "select 1 from deliveries where state = 'pending' or (claim_token is not null and next_at > ?) limit 1",
    clock(),
  ).length === 0;

export function checkEnd({ world, acknowledged, deleted }: History): void {
  const { deliveries, events } = readSnapshot(world.database);
  for (const { id, state } of deliveries.values()) {
    require(state !== 'pending', () => `the delivery ${id} is ${state} for ever`);
  }
  for (const id of acknowledged) {
    require(events.has(id) || deleted.has(id), () => `the event ${id} was acknowledged, and is lost`);
  }
}

/** When retention has had its time. */
export function checkRetention({ world }: History): void {
  const { retentionDays, maxEvents } = world.scenario;
  const events = [...readSnapshot(world.database).events.values()];
  for (const { id, created_at } of events) {
    require(created_at >= world.clock() - retentionDays * dayMs - 60_000, () =>
      `the event ${id} is older than it may be`);
    const newer = events.filter((each) => each.created_at > created_at).length;
    require(maxEvents === 0 || newer < maxEvents, () => `the event ${id} is one too many`);
  }
}
