/** The attempts of a delivery over GraphQL, on every database and in front of a service. */
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { deliverySetUps } from '../support/deliveries.ts';
import { startDeliveriesOverGraphQL, stateDocument } from '../support/deliveries-graphql.ts';

describe.each(deliverySetUps)('attempts on $name', (dialect) => {
  it('show no response body without the scope that shows header values', async () => {
    const { gateway, receiver, ask, createWebhook } = await startDeliveriesOverGraphQL(dialect);
    const webhookId = await createWebhook();
    receiver.answer = (_request, response) => void response.end('x-tok: secret');
    await gateway.emit('a');
    await gateway.delivery.worker.idle();
    const reader = await gateway.space.newKey({ scopes: ['webhooks:read'] });
    const bodyFor = async (key: string) => {
      const { data } = await ask(stateDocument, { webhookId }, key);
      const [{ attempts, lastAttempt }] = data.webhook.deliveries.nodes;
      expect(lastAttempt.responseBody).toBe(attempts.nodes[0].responseBody);
      return lastAttempt.responseBody;
    };
    expect(await bodyFor(gateway.space.key)).toBe('x-tok: secret');
    expect(await bodyFor(reader)).toBe('********');
  });

  it('show the headers of a response that is no success, up to a KiB', async () => {
    const { gateway, receiver, ask, createWebhook } = await startDeliveriesOverGraphQL(dialect);
    const webhookId = await createWebhook();
    const sent = [
      ['Retry-After', '5'],
      ['Set-Cookie', 'a=1'],
      ['X-Long', 'x'.repeat(1_000)],
      ['set-cookie', 'b: 2'],
      ['X-Empty', ''],
    ];
    const answer = (status: number) => (_request: unknown, response: ServerResponse) => {
      response.sendDate = false;
      response.writeHead(status, [...sent, ['Connection', 'close'], ['Content-Length', '0']].flat()).end();
    };
    receiver.answer = answer(503);
    await gateway.emit('a');
    await gateway.delivery.worker.idle();
    const headersOf = async (key: string) => {
      const document = `{ webhook(webhookId: "${webhookId}") { deliveries { nodes {
        lastAttempt { responseHeaders { key value } } } } } }`;
      const { data } = await ask(document, {}, key);
      return data.webhook.deliveries.nodes[0].lastAttempt.responseHeaders;
    };
    const kept = [
      { key: 'retry-after', value: '5' },
      { key: 'set-cookie', value: 'a=1' },
      { key: 'set-cookie', value: 'b: 2' },
      { key: 'x-empty', value: '' },
      { key: 'connection', value: 'close' },
      { key: 'content-length', value: '0' },
    ];
    expect(await headersOf(gateway.space.key)).toEqual(kept);
    const reader = await gateway.space.newKey({ scopes: ['webhooks:read'] });
    expect(await headersOf(reader)).toEqual(kept.map(({ key }) => ({ key, value: '********' })));
    receiver.answer = answer(200);
    await gateway.pass(7_000);
    expect(await headersOf(gateway.space.key)).toEqual([]);
  });

  it('show headers in UTF-8, without an echo of a secret in it', async () => {
    const { gateway, receiver, ask, createWebhook } = await startDeliveriesOverGraphQL(dialect);
    const secret = 'pässwörd-of-owner';
    const webhookId = await createWebhook({ headers: [{ key: 'x-token', value: secret }] });
    const inUtf8 = (text: unknown) => Buffer.from(String(text)).toString('latin1');
    receiver.answer = ({ headers }, response) => {
      response.setHeader('x-echo', inUtf8(headers['x-token']));
      response.setHeader('x-echo-of-bytes', String(headers['x-token']));
      response.setHeader('x-place', inUtf8('Zürich\u2028😀'));
      response.writeHead(500).end();
    };
    await gateway.emit('a');
    await gateway.delivery.worker.idle();
    const document = `{ webhook(webhookId: "${webhookId}") { deliveries { nodes {
      lastAttempt { responseHeaders { key value } } } } } }`;
    const { data } = await ask(document);
    const shown = data.webhook.deliveries.nodes[0].lastAttempt.responseHeaders;
    expect(shown.slice(0, 3)).toEqual([
      { key: 'x-echo', value: '[redacted]' },
      { key: 'x-echo-of-bytes', value: '[redacted]' },
      { key: 'x-place', value: 'Zürich\u2028😀' },
    ]);
  });

  it('show a delivery fail, be retried and succeed', async () => {
    const { gateway, receiver, ask, read, createWebhook } = await startDeliveriesOverGraphQL(dialect);
    const webhookId = await createWebhook();
    receiver.answer = (_request, response) => response.writeHead(503).end('busy\0');
    await gateway.emit('a');
    await gateway.delivery.worker.idle();
    expect(await read(webhookId)).toMatchObject({
      health: { failedAttemptCount: 1, failingSince: null },
      deliveries: {
        nodes: [
          {
            event: 'NEW_RELATION',
            state: 'PENDING',
            attemptCount: 1,
            finishedAt: null,
            attempts: { nodes: [{ number: 1, status: 503, failure: null, responseBody: 'busy\uFFFD' }] },
          },
        ],
      },
    });
    receiver.answer = (_request, _response, raw) => raw.socket.resetAndDestroy();
    await gateway.pass(7_000);
    receiver.answer = (_request, response) => void response.end('thanks');
    await gateway.pass(80_000);
    const { health, deliveries } = await read(webhookId);
    expect(health).toEqual({ disabledReason: null, failedAttemptCount: 0, failingSince: null, pausedUntil: null });
    expect(deliveries.nodes).toMatchObject([
      {
        state: 'SUCCEEDED',
        attemptCount: 3,
        nextAttemptAt: null,
        lastAttempt: { number: 3, status: 200, responseBody: 'thanks' },
        attempts: {
          nodes: [
            { status: 503 },
            { status: null, failure: 'CONNECTION_LOST' },
            { status: 200, responseBody: 'thanks' },
          ],
        },
      },
    ]);
    const { data } = await ask('query N($id: ID!) { node(id: $id) { __typename id } }', { id: deliveries.nodes[0].id });
    expect(data.node).toEqual({ __typename: 'Delivery', id: deliveries.nodes[0].id });
  });
});
