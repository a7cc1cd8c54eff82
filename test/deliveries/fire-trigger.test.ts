/** Firing TRIGGER webhooks over GraphQL, on every database and in front of a service. */
import { describe, expect, it } from 'vitest';
import { deliverySetUps } from '../support/deliveries.ts';
import { startDeliveriesOverGraphQL } from '../support/deliveries-graphql.ts';
import { requestContext } from '../support/request-context.ts';

describe.each(deliverySetUps)('fireTriggerWebhook on $name', (dialect) => {
  it('fires from the context of the trigger, and from no other', async () => {
    const { gateway, receiver, act } = await startDeliveriesOverGraphQL(dialect);
    const trigger = { name: 'Send', icon: 'WEBHOOK_ICON', context: 'MESSAGE' };
    const { webhookId } = await act('createTriggerWebhook', { requestUrl: receiver.address, name: 'T', trigger });
    const input = { webhookId, accountId: gateway.accountId };
    expect(await act('fireTriggerWebhook', { ...input, chatId: 'c' })).toMatchObject({
      code: 'INVALID_PARAMETERS',
    });
    const message = { messageId: 'm', chatId: 'c' };
    expect((await act('fireTriggerWebhook', { ...input, ...message })).deliveries).toHaveLength(1);
    await gateway.delivery.worker.idle();
    expect(receiver.received.map(({ body }) => JSON.parse(body))).toEqual([
      {
        event: 'trigger',
        timestamp: gateway.clock.now.toISOString(),
        context: 'MESSAGE',
        trigger_name: 'Send',
        chat_id: 'c',
        message_id: 'm',
        account_id: gateway.accountId,
        account_type: 'PNET',
        webhook_name: 'T',
      },
    ]);
  });

  it('answers a repetition as the first, whatever has become of the webhook', async () => {
    const { gateway, receiver, act } = await startDeliveriesOverGraphQL(dialect);
    const trigger = { name: 'Send', icon: 'WEBHOOK_ICON', context: 'CHAT' };
    const { webhookId } = await act('createTriggerWebhook', { requestUrl: receiver.address, name: 'T', trigger });
    const fire = (chatId: string, idempotencyKey?: string) =>
      act('fireTriggerWebhook', {
        webhookId,
        accountId: gateway.accountId,
        chatId,
        ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      });
    const { deliveries } = await fire('c', 'key');
    expect(deliveries).toHaveLength(1);
    const { app, space } = gateway;
    const other = await space.account();
    const context = requestContext(space.workspaceId);
    const changes = [
      () => app.ports.webhooks.update(context, { webhook_id: webhookId, enabled: false }),
      () => app.ports.webhooks.update(context, { webhook_id: webhookId, account_ids: [other] }),
    ];
    for (const change of changes) {
      await change();
      expect(await fire('c', 'key')).toEqual({ __typename: 'EventEmitted', deliveries });
      const refused = { code: 'INVALID_PARAMETERS' };
      for (const [chatId, key] of [['c'], ['c', 'another'], ['d', 'key']] as const)
        expect(await fire(chatId, key)).toMatchObject(refused);
    }
    expect(await gateway.deliveries()).toHaveLength(1);
  });
});
