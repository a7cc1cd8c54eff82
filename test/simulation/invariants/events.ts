/** An event gets a delivery for each webhook that listens, and none is lost before its time. */
import { require } from '../world.ts';
import type { Commit, History } from './history.ts';
import { type EventState, listens, type WebhookState } from './snapshot.ts';

const dayMs = 24 * 3_600_000;

export function checkEvents({ world, deleted }: History, { process, before, after }: Commit): void {
  for (const event of after.events.values()) if (!before.events.has(event.id)) checkReceivers(event, after);
  const isOld = (event: EventState) => {
    const { retentionDays, maxEvents } = world.scenario;
    if (event.created_at < process.clock() - retentionDays * dayMs) return true;
    const newer = [...before.events.values()].filter(({ created_at }) => created_at > event.created_at).length;
    return maxEvents > 0 && newer >= maxEvents;
  };
  for (const event of before.events.values()) {
    if (after.events.has(event.id)) continue;
    require(isOld(event), () => `the event ${event.id} was deleted before its time`);
    deleted.add(event.id);
  }
  for (const delivery of before.deliveries.values()) {
    if (after.deliveries.has(delivery.id)) continue;
    deleted.add(delivery.id);
    const webhook = after.webhooks.get(delivery.webhook_id);
    if (webhook === undefined || webhook.workspace_id === removedWorkspace) continue;
    const event = before.events.get(delivery.event_id);
    require(event !== undefined && isOld(event), () => `the delivery ${delivery.id} was deleted before its time`);
    require(delivery.state !== 'pending', () => `the delivery ${delivery.id} was deleted while it was pending`);
  }
}

/** Where webhooks are while they are being deleted. */
const removedWorkspace = 'removed-webhooks';

function checkReceivers(event: EventState, after: Commit['after']): void {
  // Callers emit with a key, and test events, which have one receiver, have none.
  const isTest = event.idempotency_key === null;
  const created = [...after.deliveries.values()].filter(({ event_id }) => event_id === event.id);
  const got = new Map(created.map((delivery) => [delivery.webhook_id, delivery]));
  const isReceiver = (webhook: WebhookState) =>
    isTest
      ? got.has(webhook.id)
      : webhook.workspace_id === event.workspace_id &&
        (JSON.parse(webhook.events) as string[]).includes(event.event) &&
        listens(webhook, event);
  const expected = [...after.webhooks.values()].filter(isReceiver);
  require(created.length === expected.length, () =>
    `the event ${event.id} has ${created.length} deliveries, not ${expected.length}`);
  require(!isTest || created.length <= 1, () => `the test event ${event.id} has ${created.length} deliveries`);
  for (const { id, enabled } of expected) {
    const delivery = got.get(id);
    const state = enabled === 1 ? 'pending' : 'held';
    require(delivery?.state === state, () => `a delivery to the webhook ${id} is ${delivery?.state}, not ${state}`);
  }
}
