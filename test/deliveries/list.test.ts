/** Reading deliveries over GraphQL, on every database. */
import { describe, expect, it } from 'vitest';
import { databases } from '../support/databases.ts';
import { startDeliveriesOverGraphQL, stateDocument } from '../support/deliveries-graphql.ts';

describe.each(databases)('deliveries on $name', (dialect) => {
  it('are listed page by page, newest first, by state', async () => {
    const { gateway, read, createWebhook } = await startDeliveriesOverGraphQL(dialect);
    const webhookId = await createWebhook();
    for (let n = 0; n < 5; n += 1) {
      gateway.clock.now = new Date(gateway.clock.now.getTime() + 1);
      await gateway.emit(n);
    }
    await gateway.delivery.worker.idle();
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const { deliveries } = await read(webhookId, { first: 2, after, state: ['SUCCEEDED'] });
      seen.push(...deliveries.nodes.map((node: { data: { user_full_name: string } }) => node.data.user_full_name));
      after = deliveries.pageInfo.hasNextPage ? deliveries.pageInfo.endCursor : null;
    } while (after !== null);
    expect(seen).toEqual(['4', '3', '2', '1', '0']);
    expect((await read(webhookId, { state: ['FAILED', 'HELD'] })).deliveries.nodes).toEqual([]);
  });

  it('are invisible to other workspaces, and to keys limited to other accounts', async () => {
    const { gateway, ask, createWebhook } = await startDeliveriesOverGraphQL(dialect);
    const webhookId = await createWebhook();
    const {
      deliveries: [deliveryId],
    } = await gateway.emit('a');
    await gateway.delivery.worker.idle();
    const stranger = await gateway.workspace();
    const find = 'query F($id: ID!) { delivery(deliveryId: $id) { deliveryId } }';
    expect((await ask(find, { id: deliveryId })).data.delivery).toEqual({ deliveryId });
    expect((await ask(find, { id: deliveryId }, stranger.key)).data.delivery).toBeNull();
    const limited = await gateway.space.newKey({ accountIds: [await gateway.space.account()] });
    expect((await ask(find, { id: deliveryId }, limited)).data.delivery).toBeNull();
    expect((await ask(stateDocument, { webhookId }, limited)).data.webhook.deliveries.nodes).toEqual([]);
  });
});
