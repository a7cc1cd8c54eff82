/** One attempt of a delivery is under way at a time, by the worker that has its lease, and none waits for destinations that hang. */
import { type Attempt, timing } from '../process.ts';
import { require } from '../world.ts';
import type { History } from './history.ts';

/** How soon after an attempt its outcome is stored, if the database works. */
const soonMs = 5_000;
/** How soon the claims of the dead are free: within a second somebody looks, and what it takes to free them. */
const freedMs = 2_000;
/** How long a delivery to a good destination may wait while others hang. */
const fairWaitMs = 4_000;

export function checkBegin(history: History, attempt: Attempt): void {
  const { inFlight, snapshot, attempts, world, dueSince, givenUp } = history;
  const { process, beganAt, request } = attempt;
  const { deliveryId, behaviour } = request;
  const before = attempts.get(deliveryId) ?? [];
  attempts.set(deliveryId, [...before, attempt]);
  inFlight.add(attempt);
  for (const { ended, settled, superseded, process: maker } of before) {
    if (ended === null || settled || superseded || maker.state === 'ended' || givenUp.has(deliveryId)) continue;
    const since = Math.max(ended.at, world.databaseFaults.lastAt, maker.startedAt);
    require(beganAt <= since + soonMs, () =>
      `an attempt of the delivery ${deliveryId} was forgotten, and is made again`);
  }
  const delivery = snapshot.deliveries.get(deliveryId);
  // Of a webhook that was deleted.
  if (delivery === undefined) return;
  const isOwn = delivery.claim_token?.startsWith(`${process.id}.`) === true;
  require(isOwn || mayRepeat(history), () => `the delivery ${deliveryId} is sent without its lease`);
  const left = delivery.next_at - process.clock();
  require(left >= timing.deadlineMs || Number.isFinite(world.jumpedAt), () =>
    `the delivery ${deliveryId} is sent ${left} ms before its lease ends`);
  require(mayRepeat(history) ||
    [...inFlight].every((each) => each === attempt || each.request.deliveryId !== deliveryId), () =>
    `the delivery ${deliveryId} is sent twice at once`);
  if (!world.scenario.isFair || behaviour !== 'good') return;
  const waited = beganAt - (dueSince.get(deliveryId) ?? beganAt);
  require(waited <= fairWaitMs, () => `the delivery ${deliveryId} waited for ${waited} ms, because others hang`);
}

/** Where the clock has jumped, the leases of others may be over too soon. */
const mayRepeat = ({ world }: History) => Number.isFinite(world.jumpedAt) && world.hadSeveral;

/** Checks after a commit that nobody has got the lease of a request that is under way. */
export function checkLeases(history: History): void {
  if (mayRepeat(history)) return;
  for (const { process, request } of history.inFlight) {
    const delivery = history.snapshot.deliveries.get(request.deliveryId);
    if (delivery === undefined) continue;
    const isOwn = delivery.claim_token?.startsWith(`${process.id}.`) === true;
    require(isOwn, () => `the lease of the delivery ${request.deliveryId} ended while it was being sent`);
  }
}

/**
 * Checks that the claims of dead processes do not last until their leases end. What a process promises is to look a second
 * after its last look has ended, and to free what it finds with its next transaction. So the time begins with the last of
 * these: the claimant has died; somebody who is still running has started; and the database could be used, which it cannot
 * while a statement of another, however slow, has the connection. Nobody can free what nobody can read or write.
 */
export function checkDeadClaims({ snapshot, world }: History): void {
  const { now } = world.scheduler;
  const running = world.processes.filter(({ state }) => state === 'running').map(({ startedAt }) => startedAt);
  if (running.length === 0) return;
  const seenSince = Math.max(world.databaseFaults.lastAt, Math.min(...running));
  for (const { id, claim_token } of snapshot.deliveries.values()) {
    const dead = world.processes.find((each) => each.state === 'ended' && claim_token?.startsWith(`${each.id}.`));
    if (dead === undefined) continue;
    require(now <= Math.max(dead.endedAt, seenSince) + freedMs, () =>
      `the delivery ${id} still belongs to a dead process`);
  }
}
