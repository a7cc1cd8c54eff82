/** Keys that are limited to accounts, where the webhooks are those of a service and the gateway has one key for all. */
import { describe, expect, test } from 'vitest';
import { graphql } from '../support/gateway.ts';
import { rest } from '../support/rest.ts';
import { json, proxyTo, startStub, webhook } from '../support/stub.ts';

const listening = (...ids: unknown[]) => ({
  account_ids: ids.map((id) => (typeof id === 'string' ? { id, name: `Name of ${id}`, type: 'PNET' } : id)),
});

/** A service with these pages of webhooks, and a key of the gateway that is limited to the account `own`. */
async function setUp(pages: readonly (readonly unknown[])[], options: { scopes?: readonly 'webhooks:read'[] } = {}) {
  const stub = await startStub(({ method, path }, response) => {
    if (method === 'DELETE') return json(response, 200, { object: 'WebhookDeleted' });
    const page = Number(new URL(path, 'http://stub').searchParams.get('cursor') ?? 0);
    const cursor = page + 1 < pages.length ? String(page + 1) : null;
    json(response, 200, { object: 'WebhookList', items: pages[page], cursor });
  });
  const gateway = await proxyTo(stub, { environment: { UPSTREAM_API_KEY: 'our-key' } });
  const { newKey } = await gateway.workspace();
  const key = await newKey({ accountIds: ['own'], ...options });
  return {
    list: () => rest(gateway.address, key, 'GET', '/v1/webhooks'),
    remove: (id: string) => rest(gateway.address, key, 'DELETE', `/v1/webhooks/${id}`),
    ask: (query: string) => graphql(gateway.address, key, query),
    deleted: () => stub.received.filter(({ method }) => method === 'DELETE').map(({ path }) => path),
  };
}

describe('a key that is limited to accounts, in proxy mode', () => {
  test('sees its own webhooks whole, shared ones without secrets and additions to the contract, and no others', async () => {
    const secret = {
      request_url: 'https://user:pass-secret@hooks.example:8443/path-secret?token=query-secret#fragment-secret',
      headers: [{ key: 'authorization', value: 'header-secret', raw: 'raw-secret' }],
      signing_secret: 'field-secret',
    };
    const { list } = await setUp([
      [
        webhook('mine', { ...secret, ...listening('own') }),
        webhook('shared', { ...secret, ...listening('own', 'other') }),
        webhook('everyones', { ...secret, ...listening() }),
        webhook('others', { ...secret, ...listening('other') }),
      ],
    ]);
    const { body } = await list();
    expect(body.items.map(({ id }: { id: string }) => id)).toEqual(['mine', 'shared', 'everyones']);
    const [mine, ...seen] = body.items;
    expect(mine).toMatchObject({ request_url: secret.request_url, headers: [{ value: 'header-secret' }] });
    for (const item of seen) {
      expect(item).toMatchObject({ request_url: 'https://hooks.example:8443/********' });
      expect(item.headers).toEqual([{ key: 'authorization', value: '********' }]);
      expect(JSON.stringify(item)).not.toContain('-secret');
    }
    expect(seen[0].account_ids).toEqual([{ id: 'own', name: 'Name of own', type: 'PNET' }]);
    expect(JSON.stringify(body)).not.toContain('other"');
  });

  test.each([
    ['no accounts', { account_ids: undefined }],
    ['accounts that are no list', { account_ids: 'own' }],
    ['an account without an id', listening('own', {})],
    ['an account that is no object', listening('own', null)],
    ['an account whose id is no text', listening('own', { id: ['own'] })],
  ])('manages no webhook with %s', async (_what, accounts) => {
    const headers = { authorization: 'header-secret' };
    const { list, remove, deleted } = await setUp([[webhook('odd', { ...accounts, headers }), null, 'a text-secret']]);
    const answer = await list();
    expect(answer.status).toBe(200);
    expect(answer.text).not.toContain('-secret');
    expect((await remove('odd')).body).toMatchObject({ status: 403, type: 'errors/account_mismatch' });
    expect(deleted()).toEqual([]);
  });

  test('deletes its own from any page of the list, and asks the service to delete no other', async () => {
    const { remove, ask, deleted } = await setUp([
      [webhook('others', listening('other'))],
      [webhook('mine', listening('own'))],
      [webhook('everyones', listening())],
    ]);
    for (const id of ['others', 'everyones']) {
      expect((await remove(id)).body).toMatchObject({ status: 403, type: 'errors/account_mismatch' });
      const { data } = await ask(
        `mutation { deleteWebhook(input: { webhookId: "${id}" }) { __typename ... on ServiceError { code } } }`,
      );
      expect(data.deleteWebhook).toEqual({ __typename: 'RequestError', code: 'ACCOUNT_MISMATCH' });
    }
    expect((await remove('unknown')).body).toMatchObject({ status: 404, type: 'errors/resource_not_found' });
    expect(deleted()).toEqual([]);
    expect((await remove('mine')).body).toEqual({ object: 'WebhookDeleted' });
    expect(deleted()).toEqual(['/v1/webhooks/mine']);
  });

  test('deletes no webhook that is too far down the list to be found', async () => {
    const pages = Array.from({ length: 11 }, (_, page) => [webhook(`w${page}`, listening('own'))]);
    const { remove, deleted } = await setUp(pages);
    expect((await remove('w10')).body).toMatchObject({ status: 400, type: 'errors/limit_too_high' });
    expect(deleted()).toEqual([]);
  });

  test('without webhooks:write, sees no header values of its own webhooks either', async () => {
    const headers = [{ key: 'authorization', value: 'header-secret' }];
    const { list } = await setUp([[webhook('mine', { headers, ...listening('own') })]], { scopes: ['webhooks:read'] });
    expect((await list()).body.items[0].headers).toEqual([{ key: 'authorization', value: '********' }]);
  });
});
