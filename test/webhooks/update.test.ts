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

  it('takes an empty name for none, as a creation does', async () => {
    const { ask, act, createWebhook } = await startDeliveriesOverGraphQL(dialect);
    const nameOf = async (id: string) =>
      (await ask('query ($id: ID!) { webhook(webhookId: $id) { name } }', { id })).data.webhook.name;
    const webhookId = await createWebhook({ name: 'Old' });
    expect(await act('updateWebhook', { webhookId, name: '' })).toEqual({ __typename: 'WebhookUpdated' });
    expect(await nameOf(webhookId)).toBeNull();
    expect(await nameOf(await createWebhook({ name: '' }))).toBeNull();
  });

  it('replaces the trigger of a TRIGGER webhook, and of no other', async () => {
    const { gateway, receiver, ask, act, createWebhook } = await startDeliveriesOverGraphQL(dialect);
    const trigger = { name: 'Send', icon: 'WEBHOOK_ICON', context: 'MESSAGE' };
    const { webhookId } = await act('createTriggerWebhook', { requestUrl: receiver.address, trigger });
    const fire = (more: object) =>
      act('fireTriggerWebhook', { webhookId, accountId: gateway.accountId, chatId: 'c', ...more });
    const fired = await fire({ messageId: 'm', idempotencyKey: 'k' });
    const changed = { name: 'Share', icon: 'CABLE_ICON', context: 'CHAT' };
    expect(await act('updateWebhook', { webhookId, trigger: changed })).toEqual({ __typename: 'WebhookUpdated' });
    const query = 'query ($id: ID!) { webhook(webhookId: $id) { type trigger { name icon context } } }';
    expect((await ask(query, { id: webhookId })).data.webhook).toEqual({ type: 'TRIGGER', trigger: changed });
    expect((await fire({})).deliveries).toHaveLength(1);
    expect(await fire({ messageId: 'm' })).toMatchObject({ issues: [{ path: ['input', 'messageId'] }] });
    expect(await fire({ messageId: 'm', idempotencyKey: 'k' })).toEqual(fired);
    for (const [id, value] of [
      [webhookId, null],
      [await createWebhook(), changed],
    ]) {
      const refused = await act('updateWebhook', { webhookId: id, trigger: value });
      expect(refused).toMatchObject({ code: 'INVALID_PARAMETERS', issues: [{ path: ['input', 'trigger'] }] });
    }
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
