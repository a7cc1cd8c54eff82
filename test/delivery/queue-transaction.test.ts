/** Settling and claiming in one transaction, on every database. */
import { expect, it } from 'vitest';
import { type QueueOrder, settleAndClaim } from '../../src/delivery/queue-transaction.ts';
import { databases } from '../support/databases.ts';
import { startDelivering } from '../support/deliveries.ts';
import { requestContext } from '../support/request-context.ts';

it.each(databases)('the first transaction claims the delivery of a new webhook, on $name', async (dialect) => {
  // A worker without slots claims nothing itself.
  const gateway = await startDelivering({ dialect, delivery: { limits: { slots: 0 } } });
  const { webhook_id } = await gateway.app.ports.webhooks.create(requestContext(gateway.space.workspaceId), {
    request_url: 'https://hooks.example/',
    source: 'users',
  });
  const [deliveryId] = (await gateway.emit('a')).deliveries;
  const order: QueueOrder = {
    settlement: null,
    releases: [],
    quota: { total: 10, perDestination: new Map(), default: 8, cursor: '' },
    claimToken: 'token',
    leaseMs: 45_000,
    latestFirst: false,
    now: gateway.clock.now.getTime(),
  };
  const run = () =>
    gateway.app.database
      .transaction()
      .execute((transaction) => settleAndClaim(transaction, dialect.name === 'SQLite' ? 'sqlite' : 'postgres', order));
  const { claimed } = await run();
  expect(claimed).toMatchObject([{ webhook: { id: webhook_id }, deliveries: [{ deliveryId, number: 1, attempt: 1 }] }]);
  expect(await gateway.deliveries()).toMatchObject([{ claim_token: 'token', next_at: order.now + 45_000 }]);
  expect((await run()).claimed).toEqual([]);
  await gateway.close();
});
