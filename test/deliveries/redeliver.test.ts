/** Resending deliveries over GraphQL, on every database and in front of a service. */
import { describe, expect, it } from 'vitest';
import { deliverySetUps } from '../support/deliveries.ts';
import { startDeliveriesOverGraphQL } from '../support/deliveries-graphql.ts';

describe.each(deliverySetUps)('resending on $name', (dialect) => {
  it('sends deliveries that were held while their webhook was disabled', async () => {
    const { gateway, receiver, act, read, createWebhook } = await startDeliveriesOverGraphQL(dialect);
    const webhookId = await createWebhook();
    expect(await act('updateWebhook', { webhookId, isEnabled: false })).toEqual({ __typename: 'WebhookUpdated' });
    await gateway.emit('early');
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 60_000);
    const line = gateway.clock.now.toISOString();
    await gateway.emit('late');
    await gateway.delivery.worker.idle();
    expect(await read(webhookId)).toMatchObject({
      isEnabled: false,
      health: { disabledReason: 'CALLER' },
      deliveries: { nodes: [{ state: 'HELD' }, { state: 'HELD' }] },
    });
    const replay = { webhookId, state: 'HELD', since: line };
    expect(await act('redeliverWebhookDeliveries', replay)).toMatchObject({ code: 'INVALID_PARAMETERS' });
    await act('updateWebhook', { webhookId, isEnabled: true });
    expect(receiver.received).toEqual([]);
    expect(await act('redeliverWebhookDeliveries', { ...replay, since: 'soon' })).toMatchObject({
      issues: [{ path: ['input', 'since'] }],
    });
    expect(await act('redeliverWebhookDeliveries', replay)).toMatchObject({ count: 1 });
    await gateway.delivery.worker.idle();
    expect(receiver.received.map(({ body }) => JSON.parse(body).user_full_name)).toEqual(['late']);
    expect(await act('redeliverWebhookDeliveries', { webhookId, state: 'HELD', until: line })).toMatchObject({
      count: 1,
    });
    await gateway.delivery.worker.idle();
    expect(receiver.received).toHaveLength(2);
  });

  it('keeps the id of a delivery, and sends a pending one now', async () => {
    const { gateway, receiver, act, read, createWebhook } = await startDeliveriesOverGraphQL(dialect);
    const webhookId = await createWebhook();
    receiver.answer = (_request, response) => response.writeHead(410).end();
    const {
      deliveries: [deliveryId],
    } = await gateway.emit('a');
    await gateway.delivery.worker.idle();
    expect(await read(webhookId)).toMatchObject({ isEnabled: false, health: { disabledReason: 'GONE' } });
    await act('updateWebhook', { webhookId, isEnabled: true });
    receiver.answer = (_request, response) => response.writeHead(500).end();
    expect(await act('redeliverDelivery', { deliveryId })).toEqual({ __typename: 'DeliveryScheduled' });
    await gateway.delivery.worker.idle();
    // It waits for its second attempt.
    await gateway.app.database
      .updateTable('webhook_destinations')
      .set({ paused_until: 2 ** 50 })
      .execute();
    receiver.answer = (_request, response) => response.writeHead(500).end();
    expect(await act('redeliverDelivery', { deliveryId })).toEqual({ __typename: 'DeliveryScheduled' });
    await gateway.delivery.worker.idle();
    expect(await gateway.deliveries()).toMatchObject([{ state: 'pending', attempts: 3, attempts_before: 2 }]);
    // Nor does it end when its owner is hasty.
    for (let hasty = 0; hasty < 12; hasty += 1) {
      await act('redeliverWebhookDeliveries', { webhookId, state: 'PENDING' });
      await gateway.delivery.worker.idle();
    }
    expect(await gateway.deliveries()).toMatchObject([{ state: 'pending', attempts: 15, attempts_before: 14 }]);
    receiver.answer = (_request, response) => void response.end();
    expect(await act('redeliverWebhookDeliveries', { webhookId, state: 'PENDING' })).toMatchObject({ count: 1 });
    expect(await act('redeliverWebhookDeliveries', { webhookId, state: 'PENDING' })).toMatchObject({ count: 0 });
    await gateway.delivery.worker.idle();
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual(
      Array.from({ length: 16 }, () => deliveryId),
    );
    expect((await read(webhookId)).deliveries.nodes).toMatchObject([{ state: 'SUCCEEDED', attemptCount: 16 }]);
    expect(await act('redeliverDelivery', { deliveryId: 'A'.repeat(22) })).toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
    });
  });
});
