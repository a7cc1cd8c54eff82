/** Subscriptions of a gateway that stops: their clients come back, to another process. */
import { createClient } from 'graphql-sse';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Gateway, graphql } from '../support/gateway.ts';
import { startTwoGateways } from '../support/two-gateways.ts';

const document = 'subscription { deliveryUpdated { id state } }';

async function startTwo() {
  const { first, second } = await startTwoGateways();
  return { first, second, workspace: await first.workspace() };
}

const subscribe = ({ address }: Gateway, key: string) =>
  fetch(`${address}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', 'x-api-key': key },
    body: JSON.stringify({ query: document }),
  });

test('the stream of a gateway that stops just ends: it is not complete, and no error', async () => {
  const { first, workspace } = await startTwo();
  const stream = await subscribe(first, workspace.key);
  expect(stream.status).toBe(200);
  const text = stream.text();
  await first.app.close();
  expect(await text).toMatch(/^(?::\n\n)+$/);
});

test('a stream of an operation that is over is complete', async () => {
  const { first } = await startTwo();
  const stream = await subscribe(first, 'a wrong key');
  expect(await stream.text()).toMatch(/event: complete\ndata:\n\n$/);
});

test('graphql-sse opens the subscription again, at the remaining process', async () => {
  const { first, second, workspace } = await startTwo();
  let gateway = first;
  const connected = vi.fn();
  const client = createClient({
    url: () => `${gateway.address}/graphql`,
    headers: { 'x-api-key': workspace.key },
    retry: async () => {
      gateway = second;
    },
    on: { connected },
  });
  onTestFinished(() => client.dispose());
  const results = client.iterate<{ deliveryUpdated: { state: string } }>({ query: document });
  const next = results.next();
  await expect.poll(() => connected).toHaveBeenCalledTimes(1);
  await first.app.close();
  await expect.poll(() => connected).toHaveBeenCalledTimes(2);
  const emitted = await graphql(
    second.address,
    workspace.key,
    `mutation { createWebhook(input: { requestUrl: "https://hooks.example/x", source: USERS }) {
      ... on WebhookCreated { webhookId } } }`,
  );
  const { webhookId } = emitted.data.createWebhook;
  await graphql(
    second.address,
    workspace.key,
    `mutation { sendTestEvent(input: { webhookId: "${webhookId}" }) { __typename } }`,
  );
  expect((await next).value).toMatchObject({ data: { deliveryUpdated: { state: 'PENDING' } } });
});
