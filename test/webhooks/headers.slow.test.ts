/** Extra headers of deliveries over GraphQL, on every database and in front of a service. */
import { describe, expect, it } from 'vitest';
import { deliverySetUps } from '../support/deliveries.ts';
import { createDocument, startDeliveriesOverGraphQL, stateDocument } from '../support/deliveries-graphql.ts';

describe.each(deliverySetUps)('extra headers on $name', (dialect) => {
  it('are sent, and their values are shown with the scope webhooks:write only', async () => {
    const { gateway, receiver, ask, read, createWebhook } = await startDeliveriesOverGraphQL(dialect);
    const headers = [
      { key: 'Authorization', value: 'Bearer hidden' },
      { key: 'X-Tag', value: 'tÄg' },
    ];
    const webhookId = await createWebhook({ headers });
    await gateway.emit('a');
    await gateway.delivery.worker.idle();
    expect(receiver.received[0]?.headers).toMatchObject({ authorization: 'Bearer hidden', 'x-tag': 'tÄg' });
    expect((await read(webhookId)).headers).toEqual(headers);
    const reader = await gateway.space.newKey({ scopes: ['webhooks:read'] });
    const masked = await ask(stateDocument, { webhookId }, reader);
    expect(masked.data.webhook.headers).toEqual(headers.map(({ key }) => ({ key, value: '********' })));
    const rest = await fetch(`${gateway.address}/v1/webhooks`, { headers: { 'x-api-key': reader } });
    expect(JSON.stringify(await rest.json())).not.toContain('hidden');
    const row = await gateway.app.database.selectFrom('webhooks').select('headers').executeTakeFirstOrThrow();
    expect(row.headers).not.toContain('hidden');
  });

  it('must not corrupt the request or replace headers that deliveries set', async () => {
    const { receiver, ask } = await startDeliveriesOverGraphQL(dialect);
    const refused: [string, string][] = [
      ...[
        'Host',
        'content-length',
        'Transfer-Encoding',
        'connection',
        'keep-alive',
        'proxy-connection',
        'TE',
        'trailer',
        'http2-settings',
        'webhook-signature',
        'Webhook-Id',
        'WEBHOOK-TIMESTAMP',
      ],
      ...['expect', 'Upgrade', 'proxy-authorization', '', 'x y', 'x-a\r\nx-b', 'x:', 'ä'],
    ].map((key) => [key, 'x']);
    refused.push(['x-a', 'x\r\nhost: y'], ['x-a', 'x\u0001'], ['x-a', '€']);
    for (const [key, value] of refused) {
      const { data } = await ask(createDocument, {
        input: { requestUrl: receiver.address, source: 'USERS', headers: [{ key, value }] },
      });
      expect(data.createWebhook).toMatchObject({ code: 'INVALID_PARAMETERS' });
      expect(data.createWebhook.issues[0].path.slice(0, 3)).toEqual(['input', 'headers', '0']);
    }
  });

  it.each(['json', 'form'] as const)('win over the defaults of %s deliveries', async (format) => {
    const { gateway, receiver, createWebhook } = await startDeliveriesOverGraphQL(dialect);
    const headers = [
      { key: 'Content-Type', value: 'application/vnd.example+json; charset=utf-8' },
      { key: 'USER-AGENT', value: 'mine' },
      ...['Content-Language', 'Content-Encoding', 'Content-Disposition', 'Accept', 'Cookie', 'Proxy-Status'].map(
        (key) => ({
          key,
          value: 'en',
        }),
      ),
      { key: 'Webhook-Tag', value: 'a' },
      { key: 'Forwarded', value: 'for=a' },
    ];
    await createWebhook({ headers, format: format.toUpperCase() });
    await gateway.emit('a');
    await gateway.delivery.worker.idle();
    const [received] = receiver.received;
    expect(received?.headers).toMatchObject(
      Object.fromEntries(headers.map(({ key, value }) => [key.toLowerCase(), value])),
    );
    // As they arrived: each once.
    expect(received?.headers['content-type']).toBe('application/vnd.example+json; charset=utf-8');
    expect(received?.headers['webhook-signature']).toMatch(/^v1,/);
  });
});
