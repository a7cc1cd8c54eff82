/**
 * A week of deliveries of the demo workspace, as the receiver of the sandbox and the engine's rules would have made them:
 * the response is that of the receiver, its meaning that of the retry policy, the health that of the engine. What is
 * not settled by now stays pending, and the engine goes on with it.
 */
import type { Transaction } from 'kysely';
import { countAttempts } from '../capabilities/deliveries/attempt-counts.ts';
import { recovered } from '../capabilities/webhooks/destinations.ts';
import { judge, type StoredRun } from '../delivery/destination-health.ts';
import { eventRow, newDelivery } from '../delivery/emit.ts';
import { classify, type RetryDecision } from '../delivery/retry-policy.ts';
import { storedHeaders } from '../delivery/send.ts';
import { sampleData } from '../events/samples.ts';
import { newTimedId, type RandomBytes } from '../kernel/ids.ts';
import { day, hour } from '../kernel/lib/time-units.ts';
import { receiverResponse } from '../providers/sandbox/receiver.ts';
import { seededHash } from '../providers/sandbox/seeded-random.ts';
import type { DeliveryAttemptTable, DeliveryTable, EventTable, Tables, WebhookTable } from '../store/schema.ts';

const demoSource = 'messaging';
const event = 'message_received';

interface DemoDeliveries {
  readonly account: { readonly id: string; readonly type: string };
  /** All of messages, with addresses of the receiver of the sandbox. */
  readonly webhooks: readonly WebhookTable[];
  /** Epoch milliseconds. */
  readonly now: number;
  readonly randomBytes: RandomBytes;
}

/** Stores the events of the last week, their deliveries and attempts, the counts of these, and the health of the webhooks. */
export async function insertDemoDeliveries(transaction: Transaction<Tables>, demo: DemoDeliveries): Promise<void> {
  const events = demoEvents(demo);
  const sent = demo.webhooks.map((webhook) => ({
    webhook,
    deliveries: events
      .filter(({ created_at }) => created_at >= webhook.created_at)
      .map((of) => deliver(of, webhook, demo)),
  }));
  const deliveries = sent.flatMap((each) => each.deliveries);
  const attempts = deliveries.flatMap((delivery) => delivery.attempts);
  await transaction.insertInto('events').values(events).execute();
  await transaction
    .insertInto('deliveries')
    .values(deliveries.map(({ row }) => row))
    .execute();
  await transaction
    .insertInto('delivery_attempts')
    .values(attempts.map(({ row }) => row))
    .execute();
  const samples = deliveries.flatMap(({ row: { id, webhook_id }, attempts }) =>
    attempts.map(({ row, decision }) => ({
      deliveryId: id,
      webhookId: webhook_id,
      startedAt: row.started_at,
      durationMs: row.duration_ms,
      succeeded: decision.outcome === 'succeeded',
    })),
  );
  const workspaces = new Map(deliveries.map(({ row }) => [row.id, row.workspace_id]));
  await countAttempts(transaction, samples, workspaces);
  for (const { webhook, deliveries } of sent) {
    await transaction
      .updateTable('webhook_destinations')
      .set(runOf(deliveries.flatMap(({ attempts }) => attempts)))
      .where('webhook_id', '=', webhook.id)
      .execute();
  }
}

/** Makes events of every hour, none in some. */
function demoEvents({ account, webhooks, now, randomBytes }: DemoDeliveries): EventTable[] {
  const [{ workspace_id: workspaceId } = { workspace_id: '' }] = webhooks;
  const times = Array.from({ length: (7 * day) / hour }, (_, index) =>
    Array.from(
      { length: seededHash(index, 0) % 3 },
      (_, each) => now - 7 * day + index * hour + (seededHash(index, each + 1) % hour),
    ),
  );
  return times
    .flat()
    .sort((a, b) => a - b)
    .map((created_at) => {
      const data = sampleData(demoSource, event, new Date(created_at));
      const emission = {
        workspaceId,
        accountId: account.id,
        accountType: account.type,
        source: demoSource,
        event,
        data,
      } as const;
      return eventRow(emission, newTimedId(randomBytes, created_at), created_at);
    });
}

interface DemoAttempt {
  readonly row: DeliveryAttemptTable;
  readonly decision: RetryDecision;
}

/** Every attempt until the delivery is settled, or the next one is yet to come. */
function deliver(
  stored: EventTable,
  { id: webhookId, request_url }: WebhookTable,
  { now, randomBytes }: DemoDeliveries,
): { readonly row: DeliveryTable; readonly attempts: readonly DemoAttempt[] } {
  const { created_at } = stored;
  const id = newTimedId(randomBytes, created_at);
  const { pathname } = new URL(request_url);
  const attempts: DemoAttempt[] = [];
  let state = 'pending';
  let next_at = created_at;
  while (state === 'pending' && next_at < now) {
    const number = attempts.length + 1;
    const chance = seededHash(created_at, number);
    const duration_ms = 15 + (chance % 90);
    const { status, failure, retryAfter, headers, body } = receiverResponse(pathname, next_at - created_at);
    const end = next_at + duration_ms;
    const random = () => chance / 2 ** 32;
    const decision = classify({ status, failure, retryAfter }, { attempt: number, now: end, random });
    attempts.push({
      row: {
        delivery_id: id,
        number,
        started_at: next_at,
        duration_ms,
        status,
        failure,
        response_body: body.toString(),
        response_headers: storedHeaders(headers, decision),
      },
      decision,
    });
    if (decision.outcome !== 'retry') state = decision.outcome;
    next_at = decision.outcome === 'retry' ? end + decision.delayMs : end;
  }
  const next = state === 'pending' ? { next_at } : { finished_at: next_at };
  return { row: { ...newDelivery(stored, webhookId, id), state, attempts: attempts.length, ...next }, attempts };
}

/** What all attempts to a webhook say of its health. */
const runOf = (attempts: readonly DemoAttempt[]): StoredRun =>
  [...attempts]
    .sort((a, b) => a.row.started_at - b.row.started_at)
    .reduce<StoredRun>(
      (run, { row, decision }) => judge(run, [decision], row.started_at + row.duration_ms).changes,
      recovered,
    );
