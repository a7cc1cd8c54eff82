/** Firing TRIGGER webhooks over GraphQL, on every database. */
import { describe, expect, it } from 'vitest';
import { databases } from '../support/databases.ts';
import { startDeliveriesOverGraphQL } from '../support/deliveries-graphql.ts';

describe.each(databases)('fireTriggerWebhook on $name', (dialect) => {
  it('fires from the context of the trigger, and from no other', async () => {
    const { gateway, receiver, act } = await startDeliveriesOverGraphQL(dialect);
    const trigger = { name: 'Send', icon: 'WebhookIcon', context: 'MESSAGE' };
    const { webhookId } = await act('createTriggerWebhook', { requestUrl: receiver.address, name: 'T', trigger });
    const input = { webhookId, accountId: gateway.accountId };
    expect(await act('fireTriggerWebhook', { ...input, context: { chat: { chatId: 'c' } } })).toMatchObject({
      type: 'errors/invalid_parameters',
    });
    const message = { messageId: 'm', chatId: 'c' };
    expect((await act('fireTriggerWebhook', { ...input, context: { message } })).deliveries).toHaveLength(1);
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
});
