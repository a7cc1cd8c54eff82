/** Emitting account events over GraphQL, on every database and in front of a service. */
import { describe, expect, it } from 'vitest';
import { webhookSources } from '../../src/events/sources.ts';
import { deliverySetUps } from '../support/deliveries.ts';
import { emitDocument, startDeliveriesOverGraphQL } from '../support/deliveries-graphql.ts';

describe.each(deliverySetUps)('emitEvent on $name', (dialect) => {
  it('delivers every event of the contract, with the payload that the webhook chose', async () => {
    const { gateway, receiver, ask, createWebhook } = await startDeliveriesOverGraphQL(dialect);
    for (const source of ['MESSAGING', 'USERS', 'ACCOUNT_STATUS', 'EMAIL', 'EMAIL_TRACKING', 'CALENDAR_EVENT']) {
      await createWebhook({ source, name: 'All of it' });
    }
    for (const { mapping, events, keys } of Object.values(webhookSources)) {
      for (const event of events) {
        const before = receiver.received.length;
        const input = { accountId: gateway.accountId, event: event.toUpperCase() };
        const { data, errors } = await ask(emitDocument, { input });
        expect(errors).toEqual([]);
        expect(data.emitEvent).toMatchObject({
          __typename: 'EventEmitted',
          deliveries: [{ deliveryId: expect.any(String) }],
        });
        await gateway.delivery.worker.idle();
        const body = JSON.parse(receiver.received[before]?.body ?? 'null');
        expect(body).toMatchObject({
          event,
          ...((keys as readonly string[]).includes('webhook_name') ? { webhook_name: 'All of it' } : {}),
        });
        const names = Object.keys(body).filter((key) => key !== 'event');
        if (mapping === 'chosen') expect(names.filter((key) => !(keys as readonly string[]).includes(key))).toEqual([]);
      }
    }
    const samples = await ask('{ eventSamples { source event payload } }');
    expect(samples.errors).toEqual([]);
    const events = Object.values(webhookSources).flatMap((source): readonly string[] => source.events);
    expect(samples.data.eventSamples).toHaveLength(events.length);
  });

  it('sends the data of the caller, names an invalid key, and emits once under one idempotency key', async () => {
    const { gateway, receiver, ask, createWebhook } = await startDeliveriesOverGraphQL(dialect);
    await createWebhook();
    const input = { accountId: gateway.accountId, event: 'NEW_RELATION', idempotencyKey: 'one' };
    const wrong = await ask(emitDocument, { input: { ...input, data: { account_id: 'x', nonsense: 1 } } });
    expect(wrong.data.emitEvent).toMatchObject({
      code: 'INVALID_PARAMETERS',
      issues: [{ path: ['input', 'data'], message: 'must not have account_id: the gateway sets it' }],
    });
    const right = { ...input, data: { user_full_name: 'Grace' } };
    const [first, second] = [await ask(emitDocument, { input: right }), await ask(emitDocument, { input: right })];
    expect(second.data.emitEvent).toMatchObject({ isRepeated: true, eventId: first.data.emitEvent.eventId });
    const other = await ask(emitDocument, { input: { ...input, data: { user_full_name: 'Ada' } } });
    expect(other.data.emitEvent.issues).toMatchObject([{ path: ['input', 'idempotencyKey'] }]);
    await gateway.delivery.worker.idle();
    expect(receiver.received.map(({ body }) => JSON.parse(body))).toMatchObject([
      { event: 'new_relation', user_full_name: 'Grace', timestamp: gateway.clock.now.toISOString() },
    ]);
    const unknown = await ask(emitDocument, { input: { ...input, accountId: 'A'.repeat(22) } });
    expect(unknown.data.emitEvent.code).toBe('RESOURCE_NOT_FOUND');
    // A producer whose API key has been replaced repeats nothing, and a key for another account meets no key of this one's.
    const replaced = await gateway.space.newKey({ accountIds: [gateway.accountId] });
    expect((await ask(emitDocument, { input: right }, replaced)).data.emitEvent).toMatchObject({ isRepeated: true });
    const accountId = await gateway.space.account();
    const stranger = await gateway.space.newKey({ accountIds: [accountId] });
    const theirs = async () => (await ask(emitDocument, { input: { ...right, accountId } }, stranger)).data.emitEvent;
    const { eventId } = await theirs();
    expect(eventId).not.toBe(first.data.emitEvent.eventId);
    expect(await theirs()).toMatchObject({ eventId, isRepeated: true });
    const again = await ask(emitDocument, { input: right });
    expect(again.data.emitEvent).toMatchObject({ eventId: first.data.emitEvent.eventId, isRepeated: true });
    const scoped = await ask(emitDocument, { input }, await gateway.space.newKey({ scopes: ['webhooks:write'] }));
    expect(scoped.errors[0]?.extensions.code).toBe('INSUFFICIENT_PRIVILEGES');
  });
});
