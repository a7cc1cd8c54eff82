/** Updating webhooks over GraphQL, on every database and in front of a service. */
import { describe, expect, it } from 'vitest';
import { deliverySetUps } from '../support/deliveries.ts';
import { createDocument, startDeliveriesOverGraphQL } from '../support/deliveries-graphql.ts';
import { startReceiver } from '../support/receiver.ts';

describe.each(deliverySetUps)('updateWebhook on $name', (dialect) => {
  it('changes what is given, also for deliveries that are pending', async () => {
    const { gateway, receiver, act, createWebhook } = await startDeliveriesOverGraphQL(dialect);
    const webhookId = await createWebhook();
    receiver.answer = (_request, response) => response.writeHead(500).end();
    await gateway.emit('a');
    await gateway.delivery.worker.idle();
    const other = await startReceiver();
    const changed = await act('updateWebhook', {
      webhookId,
      requestUrl: `${other.address}/new`,
      name: 'New',
      data: [
        { name: 'who', key: 'USER_FULL_NAME' },
        { name: 'hook', key: 'WEBHOOK_NAME' },
      ],
    });
    expect(changed).toEqual({ __typename: 'WebhookUpdated' });
    await gateway.pass(7_000);
    expect(other.received).toMatchObject([{ path: '/new', body: '{"event":"new_relation","who":"a","hook":"New"}' }]);
    expect(await act('updateWebhook', { webhookId, events: ['MAIL_SENT'] })).toMatchObject({
      code: 'INVALID_PARAMETERS',
    });
    await other.close();
  });

  it('refuses null, which would otherwise look like a value that was removed', async () => {
    const { act, createWebhook } = await startDeliveriesOverGraphQL(dialect);
    const webhookId = await createWebhook();
    for (const [name, value] of [
      ['name', null],
      ['headers', null],
      ['format', null],
      ['requestUrl', null],
      ['isEnabled', null],
      ['receivesNotices', null],
    ] as const) {
      const refused = await act('updateWebhook', { webhookId, [name]: value });
      expect(refused).toMatchObject({ code: 'INVALID_PARAMETERS', message: expect.stringContaining(name) });
    }
  });

  it('takes null for all accounts, as a webhook reads, and no empty list', async () => {
    const { gateway, ask, act, createWebhook } = await startDeliveriesOverGraphQL(dialect);
    const webhookId = await createWebhook();
    const accounts = async () =>
      (await ask('query ($id: ID!) { webhook(webhookId: $id) { accounts { accountId } } }', { id: webhookId })).data
        .webhook.accounts;
    await act('updateWebhook', { webhookId, accountIds: [gateway.accountId] });
    expect(await accounts()).toEqual([{ accountId: gateway.accountId }]);
    expect(await act('updateWebhook', { webhookId, accountIds: [] })).toMatchObject({
      code: 'INVALID_PARAMETERS',
      message: expect.stringContaining('input.accountIds'),
    });
    expect(await act('updateWebhook', { webhookId, accountIds: null })).toEqual({ __typename: 'WebhookUpdated' });
    expect(await accounts()).toBeNull();
  });

  it('refuses an address that is not public, as createWebhook does', async () => {
    const { ask, act, createWebhook } = await startDeliveriesOverGraphQL(dialect);
    const webhookId = await createWebhook();
    for (const requestUrl of ['http://10.0.0.1/', 'http://[::1]/', 'http://0x0a000001/', 'http://169.254.169.254/x']) {
      const { data } = await ask(createDocument, { input: { requestUrl, source: 'USERS' } });
      expect(data.createWebhook).toMatchObject({
        code: 'INVALID_URL',
        issues: [{ path: ['input', 'requestUrl'] }],
      });
      expect(await act('updateWebhook', { webhookId, requestUrl })).toMatchObject({ code: 'INVALID_URL' });
    }
  });
});
