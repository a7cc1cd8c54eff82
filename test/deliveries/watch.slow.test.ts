/** Watching deliveries over server-sent events, on every database and in front of a service. */
import { createClient } from 'graphql-sse';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deliverySetUps } from '../support/deliveries.ts';
import { createDocument, startDeliveriesOverGraphQL } from '../support/deliveries-graphql.ts';

describe.each(deliverySetUps)('deliveryUpdated on $name', (dialect) => {
  // Where all keys share a workspace, there is no other.
  it.skipIf(dialect.isFronting)('reports the deliveries of the own workspace only', async () => {
    const { gateway, receiver, ask, act, createWebhook } = await startDeliveriesOverGraphQL(dialect);
    await createWebhook();
    const stranger = await gateway.workspace();
    const accountId = await stranger.account();
    const input = { requestUrl: receiver.address, isEnabled: false, source: 'USERS' };
    const { data } = await ask(createDocument, { input }, stranger.key);
    const own = data.createWebhook.webhookId as string;
    const client = createClient({ url: `${gateway.address}/graphql`, headers: { 'x-api-key': stranger.key } });
    const seen = client.iterate<{ deliveryUpdated: { webhookId: string } }>({
      query: 'subscription { deliveryUpdated { webhookId } }',
    });
    const told: string[] = [];
    // Of each pair the other workspace's event comes first: the subscriber would have been told of it before its own.
    const emitting = (async () => {
      while (told.length < 5) {
        await gateway.emit('a');
        await act('emitEvent', { accountId, event: 'NEW_RELATION' }, stranger.key);
      }
    })();
    for await (const { data: update } of seen) {
      if (update?.deliveryUpdated) told.push(update.deliveryUpdated.webhookId);
      if (told.length === 5) break;
    }
    await emitting;
    client.dispose();
    expect(new Set(told)).toEqual(new Set([own]));
  });

  it('reads the selected fields again for each event', async () => {
    const { gateway, act, createWebhook } = await startDeliveriesOverGraphQL(dialect);
    const webhookId = await createWebhook();
    const client = createClient({ url: `${gateway.address}/graphql`, headers: { 'x-api-key': gateway.space.key } });
    const query = 'subscription { deliveryUpdated { state webhook { name } lastAttempt { number } } }';
    const seen = client.iterate<{ deliveryUpdated: { state: string; webhook: { name: string }; lastAttempt: object } }>(
      {
        query,
      },
    );
    const emitting = setInterval(() => void gateway.emit('a'), 20);
    let renamed = false;
    const names: string[] = [];
    onTestFinished(() => {
      clearInterval(emitting);
      client.dispose();
    });
    for await (const { data } of seen) {
      const { state, webhook, lastAttempt } = data?.deliveryUpdated ?? expect.unreachable('no delivery');
      names.push(webhook.name);
      expect(lastAttempt !== null || state !== 'SUCCEEDED').toBe(true);
      if (!renamed) await act('updateWebhook', { webhookId, name: 'Renamed' });
      renamed = true;
      if (webhook.name === 'Renamed' || names.length > 100) break;
    }
    expect(names.at(-1)).toBe('Renamed');
  });

  it('reports changes as they happen, and refuses keys without the scope', async () => {
    const { gateway, createWebhook } = await startDeliveriesOverGraphQL(dialect);
    const webhookId = await createWebhook();
    const client = createClient({ url: `${gateway.address}/graphql`, headers: { 'x-api-key': gateway.space.key } });
    const query = `subscription { deliveryUpdated(webhookIds: ["${webhookId}"]) { deliveryId state attemptCount } }`;
    const seen = client.iterate<{ deliveryUpdated: object }>({ query });
    // Nothing says when the subscription stands: events are emitted until the first of them is seen.
    const first = seen.next();
    const emitting = setInterval(() => void gateway.emit('a'), 20);
    const opening = await first;
    clearInterval(emitting);
    expect(opening.value?.data?.deliveryUpdated).toMatchObject({ attemptCount: expect.any(Number) });
    for await (const { data } of seen) {
      if ((data?.deliveryUpdated as { state: string } | undefined)?.state === 'SUCCEEDED') break;
    }
    client.dispose();

    const refusal = async (key: string) => {
      const response = await fetch(`${gateway.address}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'text/event-stream', 'x-api-key': key },
        body: JSON.stringify({ query }),
      });
      return [response.status, /(?<="code":")\w+/.exec(await response.text())?.[0]];
    };
    // With another status than 200, clients would read no event, and repeat the request.
    expect(await refusal('wrong')).toEqual([200, 'INVALID_CREDENTIALS']);
    const other = await gateway.space.newKey({ scopes: ['posts:read'] });
    expect(await refusal(other)).toEqual([200, 'INSUFFICIENT_PRIVILEGES']);
    const told: unknown[] = [];
    const stranger = createClient({ url: `${gateway.address}/graphql`, headers: { 'x-api-key': other } });
    for await (const { errors } of stranger.iterate({ query })) told.push(errors?.[0]?.extensions?.code);
    expect(told).toEqual(['INSUFFICIENT_PRIVILEGES']);
  });
});
