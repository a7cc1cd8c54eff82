/**
 * A webhook whose accounts are narrowed: what was on its way for the other accounts goes to nobody who takes the webhook
 * over, on every database.
 */
import { describe, expect, it } from 'vitest';
import { databases, type TestDialect } from '../support/databases.ts';
import { startDeliveriesOverGraphQL } from '../support/deliveries-graphql.ts';
import { startReceiver } from '../support/receiver.ts';

/**
 * A webhook of two accounts with a delivery for each that has failed once and is to be retried, and a receiver to which a
 * key that is limited to the first account would lead it.
 */
async function startShared(dialect: TestDialect) {
  const served = await startDeliveriesOverGraphQL(dialect);
  const { gateway, receiver, act, ask, createWebhook } = served;
  const own = gateway.accountId;
  const other = await gateway.space.account();
  const webhookId = await createWebhook({ accountIds: [own, other] });
  const limitedKey = await gateway.space.newKey({ accountIds: [own] });
  receiver.answer = (_request, response) => response.writeHead(500).end('response-secret');
  const emit = async (accountId: string): Promise<string> => {
    const { data } = await ask(
      `mutation { emitEvent(input: { accountId: "${accountId}", event: NEW_RELATION, data: { user_full_name: "Known to ${accountId}" } }) {
        ... on EventEmitted { deliveries { deliveryId } } } }`,
    );
    return data.emitEvent.deliveries[0].deliveryId;
  };
  const [ownDelivery, otherDelivery] = [await emit(own), await emit(other)];
  await gateway.delivery.worker.idle();
  const attacker = await startReceiver();
  return {
    ...served,
    webhookId,
    own,
    other,
    limitedKey,
    otherDelivery,
    ownDelivery,
    attacker,
    /** Gives the webhook to the key that is limited to one account, which leads it elsewhere. */
    async takeOver() {
      expect(await act('updateWebhook', { webhookId, accountIds: [own] })).toEqual({ __typename: 'WebhookUpdated' });
      await lead();
    },
    lead,
    statesById: async () => Object.fromEntries((await gateway.deliveries()).map(({ id, state }) => [id, state])),
  };

  async function lead(): Promise<void> {
    const led = await act('updateWebhook', { webhookId, requestUrl: attacker.address }, limitedKey);
    expect(led).toEqual({ __typename: 'WebhookUpdated' });
  }
}

describe.each(databases)('a webhook that is narrowed to one account, on $name', (dialect) => {
  it('holds deliveries that became pending while the accounts changed, once they are claimed', async () => {
    const { gateway, webhookId, own, lead, attacker, ownDelivery, otherDelivery, statesById } =
      await startShared(dialect);
    const told = new Set<string>();
    gateway.delivery.notifications.listen({
      onUpdated: (ids) => ids.forEach((id) => void told.add(id)),
      onMissed: () => {},
      onEnd: () => {},
    });
    // Only the row: as if another request had requeued the delivery in the same moment.
    await gateway.app.database
      .updateTable('webhooks')
      .set({ account_ids: JSON.stringify([own]) })
      .where('id', '=', webhookId)
      .execute();
    await lead();
    expect(await statesById()).toEqual({ [ownDelivery]: 'pending', [otherDelivery]: 'pending' });
    await gateway.pass(7_000);
    expect(attacker.received).toHaveLength(1);
    expect(await statesById()).toEqual({ [ownDelivery]: 'succeeded', [otherDelivery]: 'held' });
    expect(told).toContain(otherDelivery);
    await attacker.close();
  });

  it('receives none of their deliveries again, whoever resends them, until it listens to them again', async () => {
    const { gateway, receiver, act, webhookId, own, other, takeOver, limitedKey, otherDelivery, attacker } =
      await startShared(dialect);
    await takeOver();
    await gateway.pass(7_000);
    const before = attacker.received.length;
    for (const key of [limitedKey, gateway.space.key]) {
      for (const state of ['HELD', 'FAILED']) {
        expect(await act('redeliverWebhookDeliveries', { webhookId, state }, key)).toMatchObject({ count: 0 });
      }
    }
    expect(await act('redeliverDelivery', { deliveryId: otherDelivery }, limitedKey)).toMatchObject({
      code: 'ACCOUNT_MISMATCH',
    });
    expect(await act('redeliverDelivery', { deliveryId: otherDelivery })).toMatchObject({
      code: 'INVALID_PARAMETERS',
      issues: [{ message: 'must be for an account that the webhook still listens to' }],
    });
    await gateway.delivery.worker.idle();
    expect(attacker.received).toHaveLength(before);

    receiver.answer = (_request, response) => void response.end();
    await act('updateWebhook', { webhookId, requestUrl: receiver.address, accountIds: [own, other] });
    expect(await act('redeliverWebhookDeliveries', { webhookId, state: 'HELD' })).toMatchObject({ count: 1 });
    await gateway.delivery.worker.idle();
    expect(JSON.parse(receiver.received.at(-1)?.body ?? '')).toMatchObject({ user_full_name: `Known to ${other}` });
    await attacker.close();
  });
});
