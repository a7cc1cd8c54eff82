/** What is measured: operations of one webhook, its account and its deliveries. */
import { randomBytes } from 'node:crypto';
import { settleAndClaim } from '../../../src/delivery/queue-transaction.ts';
import { settlementOf } from '../../../src/delivery/settle.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { quotaFor } from '../claim-room.ts';
import type { DeliveringGateway } from '../deliveries.ts';
import { requestContext } from '../request-context.ts';

export interface Subject {
  readonly gateway: DeliveringGateway;
  readonly webhookId: string;
}

/** One transaction of the queue. */
export async function runQueue({ gateway }: Subject, settles: readonly string[], webhookId: string, claims: boolean) {
  const now = gateway.clock.now.getTime();
  const outcomes = settles.map((deliveryId) => ({
    deliveryId,
    webhookId,
    claimToken: 'bench---.claim',
    wasFailing: false,
    decision: { outcome: 'succeeded' as const, gone: false, overloaded: false, pauseMs: 0 },
    attempt: {
      delivery_id: deliveryId,
      number: 1,
      started_at: now,
      duration_ms: 1,
      status: 200,
      failure: null,
      response_body: '',
      response_headers: null,
    },
  }));
  return gateway.app.database.transaction().execute((transaction) =>
    settleAndClaim(transaction, {
      settlement: outcomes.length === 0 ? null : settlementOf(outcomes, now),
      releases: [],
      quota: claims ? quotaFor(512, 1_000_000, 8) : null,
      claimToken: 'bench---.claim',
      leaseMs: 45_000,
      latestFirst: false,
      now,
    }),
  );
}

/** Times a call in milliseconds. */
async function timed<Result>(work: () => Promise<Result>): Promise<{ readonly ms: number; readonly result: Result }> {
  const began = performance.now();
  const result = await work();
  return { ms: performance.now() - began, result };
}

/** Runs each operation once. @returns the milliseconds that each took */
export async function runOperations(subject: Subject): Promise<Readonly<Record<string, number>>> {
  const { gateway, webhookId } = subject;
  const { ports } = gateway.app;
  const { workspaceId } = gateway.space;
  const context = requestContext(workspaceId);
  const limited = { ...context, caller: { ...context.caller, accountIds: new Set([gateway.accountId]) } };
  const times: Record<string, number> = {};
  const measure = async <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
    const { ms, result } = await timed(work);
    times[name] = ms;
    return result;
  };

  const { deliveries } = await measure('emit', () => gateway.emit('n', newId(randomBytes)));
  if (deliveries.length !== 1) throw new Error(`${deliveries.length} deliveries instead of one`);
  const { claimed } = await measure('claim', () => runQueue(subject, [], webhookId, true));
  if (claimed.length !== 1) throw new Error(`${claimed.length} webhooks claimed for instead of one`);
  await measure('claim nothing', () => runQueue(subject, [], webhookId, true));
  await measure('settle', () => runQueue(subject, deliveries, webhookId, false));

  const list =
    (states?: ('PENDING' | 'SUCCEEDED' | 'FAILED' | 'HELD')[], caller = context) =>
    () =>
      ports.deliveries.list(caller, {
        webhook_id: webhookId,
        limit: 20,
        states: states?.map((word) => word.toLowerCase()) as never,
      });
  await measure('list deliveries', list());
  for (const state of ['PENDING', 'SUCCEEDED', 'FAILED'] as const) await measure(`list ${state}`, list([state]));
  await measure('list FAILED, HELD', list(['FAILED', 'HELD']));
  await measure('statistics of a month', () =>
    ports.deliveries.statistics(context, { webhook_ids: [webhookId], period: 'month' }),
  );
  await measure('backlog', () => ports.deliveries.backlog(context, [webhookId]));
  await measure('backlog (limited key)', () => ports.deliveries.backlog(limited, [webhookId]));
  await measure('summary of webhooks', () => ports.deliveries.summary(context, { period: 'month' }));
  await measure('list failing webhooks', () =>
    ports.webhooks.lists(context, [{ limit: 20, health_states: ['failing'] }]),
  );
  await measure('list webhooks', () => ports.webhooks.list(context, { limit: 20 }));
  await measure('list webhooks (limited key)', () => ports.webhooks.list(limited, { limit: 20 }));
  await measure('list deliveries (limited key)', list(undefined, limited));

  const created = await measure('create webhook', () =>
    ports.webhooks.create(context, {
      source: 'users',
      request_url: 'https://hooks.example/',
      account_ids: [gateway.accountId],
    }),
  );
  await measure('delete webhook', () => ports.webhooks.delete(context, { id: created.webhook_id }));
  return times;
}
