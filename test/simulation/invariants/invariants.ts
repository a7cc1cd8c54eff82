/** All that must hold, checked after every step that could break it. The first violation ends the simulation. */
import { DatabaseFault } from '../../../src/store/faults.ts';
import type { Attempt, SimulatedProcess } from '../process.ts';
import { require, type World } from '../world.ts';
import { checkDeliveries } from './deliveries.ts';
import { createDestinationCheck } from './destinations.ts';
import { checkEvents } from './events.ts';
import { createHistory, type Redelivery } from './history.ts';
import { checkEnd, checkRetention } from './liveness.ts';
import { checkBegin, checkDeadClaims, checkLeases } from './requests.ts';
import { listens, readSnapshot } from './snapshot.ts';

export interface Invariants {
  /** The first thing that went wrong; null if nothing has. */
  readonly violation: Error | null;
  committed(process: SimulatedProcess): void;
  began(attempt: Attempt): void;
  ended(attempt: Attempt): void;
  /** The requests of a process that are in flight may outlast their leases. */
  forgives(process: SimulatedProcess): void;
  /** A process has died or stopped. */
  died(process: SimulatedProcess): void;
  /** An engine has logged an error: only those that are simulated are expected. */
  logged(error: unknown): void;
  wroteLog(line: string): void;
  acknowledged(eventId: string): void;
  /** A caller asks for redeliveries. @returns is told when they are acknowledged, or refused */
  redelivers(redelivery: Redelivery): (isAcknowledged: boolean) => void;
  /** A webhook's deletion was acknowledged. */
  removed(webhookId: string): void;
  /** A webhook's being disabled was acknowledged. */
  disabled(webhookId: string): void;
  /** A process has stopped, as it was asked to. */
  stopped(process: SimulatedProcess): void;
  /** Something is wrong that has no other place. */
  report(error: unknown): void;
  /** Everything is over. */
  settled(): void;
  retained(): void;
}

export function createInvariants(getWorld: () => World): Invariants {
  let violation: Error | null = null;
  let history: ReturnType<typeof createHistory> | null = null;
  const past = () => (history ??= createHistory(getWorld()));
  const checkDestinations = createDestinationCheck();
  /** How often a delivery was requeued. */
  const requeues = new Map<string, number>();

  const report = (error: unknown) => {
    violation ??= error instanceof Error ? error : new Error(String(error));
  };
  const checked = (check: () => void) => {
    try {
      if (violation === null) check();
    } catch (error) {
      report(error);
    }
  };
  const forgive = (process: SimulatedProcess) => {
    for (const attempt of past().inFlight) if (attempt.process === process) past().inFlight.delete(attempt);
  };
  const commit = (process: SimulatedProcess) => {
    const { world, snapshot: before } = past();
    world.lastHappening = world.scheduler.now;
    checkDeadClaims(past());
    const after = readSnapshot(world.database);
    for (const { id, attempts_before, state } of after.deliveries.values()) {
      const old = before.deliveries.get(id);
      const isRequeued =
        old !== undefined &&
        old.state !== 'pending' &&
        (state === 'pending' || attempts_before !== old.attempts_before);
      if (isRequeued) requeues.set(id, (requeues.get(id) ?? 0) + 1);
    }
    past().snapshot = after;
    checkDeliveries(past(), { process, before, after });
    checkEvents(past(), { process, before, after });
    checkDestinations(past(), { process, before, after });
    checkLeases(past());
  };
  return {
    get violation() {
      return violation;
    },
    committed: (process) => checked(() => commit(process)),
    began(attempt) {
      past().world.lastHappening = past().world.scheduler.now;
      checked(() => checkBegin(past(), attempt));
    },
    ended(attempt) {
      past().world.lastHappening = past().world.scheduler.now;
      past().inFlight.delete(attempt);
    },
    forgives: forgive,
    died(process) {
      forgive(process);
      for (const each of past().redeliveries) if (each.process === process) past().redeliveries.delete(each);
    },
    logged(error) {
      const isSimulated =
        (error instanceof Error && error.message === 'simulated') ||
        (error instanceof DatabaseFault && error.cause instanceof Error && error.cause.message === 'simulated');
      if (!isSimulated) report(error);
    },
    wroteLog(line) {
      const { deliveryId } = JSON.parse(line) as { deliveryId?: string };
      if (deliveryId !== undefined) past().givenUp.add(deliveryId);
    },
    acknowledged(eventId) {
      const { acknowledged, snapshot, deleted } = past();
      acknowledged.add(eventId);
      checked(() =>
        require(snapshot.events.has(eventId) || deleted.has(eventId), () =>
          `the event ${eventId} was acknowledged, and is not stored`),
      );
    },
    redelivers(redelivery) {
      const { redeliveries, snapshot, deleted } = past();
      redeliveries.add(redelivery);
      const asked = [...snapshot.deliveries.values()].filter((delivery) => {
        const webhook = snapshot.webhooks.get(delivery.webhook_id);
        return (
          redelivery.covers(delivery) &&
          delivery.claim_token === null &&
          webhook !== undefined &&
          listens(webhook, delivery)
        );
      });
      const counts = new Map(asked.map(({ id }) => [id, requeues.get(id) ?? 0]));
      return (isAcknowledged) => {
        redeliveries.delete(redelivery);
        if (!isAcknowledged) return;
        for (const { id, webhook_id } of asked) {
          const listened =
            past().snapshot.webhooks.get(webhook_id)?.account_ids === snapshot.webhooks.get(webhook_id)?.account_ids;
          if (deleted.has(id) || !listened) continue;
          const isRequeued = (requeues.get(id) ?? 0) > (counts.get(id) ?? 0);
          checked(() => require(isRequeued, () => `the delivery ${id} was not redelivered, as was acknowledged`));
        }
      };
    },
    removed(webhookId) {
      const { webhooks, deliveries } = past().snapshot;
      const isLeft =
        webhooks.has(webhookId) || [...deliveries.values()].some(({ webhook_id }) => webhook_id === webhookId);
      checked(() => require(!isLeft, () => `the webhook ${webhookId} was deleted, and deliveries of it are left`));
    },
    disabled(webhookId) {
      const { webhooks, deliveries } = past().snapshot;
      if (webhooks.get(webhookId)?.enabled !== 0) return;
      const pending = [...deliveries.values()].find(
        (each) => each.webhook_id === webhookId && each.state === 'pending',
      );
      checked(() =>
        require(pending === undefined, () => `the delivery ${pending?.id} is pending for a disabled webhook`),
      );
    },
    stopped({ id }) {
      const { world, snapshot } = past();
      if (world.databaseFaults.lastAt > world.scheduler.now - 60_000) return;
      const claimed = [...snapshot.deliveries.values()].find(({ claim_token }) => claim_token?.startsWith(`${id}.`));
      checked(() =>
        require(claimed === undefined, () => `the delivery ${claimed?.id} is claimed by a process that has stopped`),
      );
    },
    report,
    settled: () => checked(() => checkEnd(past())),
    retained: () => checked(() => checkRetention(past())),
  };
}
