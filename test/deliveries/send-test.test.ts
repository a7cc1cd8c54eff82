/** Test events over GraphQL, on every database and in front of a service. */
import { describe, expect, it } from 'vitest';
import { deliverySetUps } from '../support/deliveries.ts';
import { startDeliveriesOverGraphQL } from '../support/deliveries-graphql.ts';

describe.each(deliverySetUps)('sendTestEvent on $name', (dialect) => {
  it('sends a sample to one webhook only', async () => {
    const { gateway, receiver, act, createWebhook } = await startDeliveriesOverGraphQL(dialect);
    const webhookId = await createWebhook();
    await createWebhook({ requestUrl: `${receiver.address}/other` });
    expect((await act('sendTestEvent', { webhookId })).deliveries).toHaveLength(1);
    await gateway.delivery.worker.idle();
    expect(receiver.received).toMatchObject([
      { path: '/', headers: { 'content-type': 'application/json', 'user-agent': 'Postern' } },
    ]);
    expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({
      event: 'new_relation',
      user_full_name: 'Amara Lindqvist',
    });
    expect(await act('sendTestEvent', { webhookId, event: 'MAIL_SENT' })).toMatchObject({
      issues: [{ path: ['input', 'event'] }],
    });
  });
});
