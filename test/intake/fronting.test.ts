/** Own webhooks in front of a service: what is emitted there is delivered from here. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Fronting, startFronting } from '../support/fronting.ts';
import { graphql, type TestWorkspace } from '../support/gateway.ts';
import { startReceiver } from '../support/receiver.ts';

let fronting: Fronting;
let caller: TestWorkspace;
beforeAll(async () => {
  fronting = await startFronting();
  caller = await fronting.front.workspace();
}, 30_000);
afterAll(() => fronting.close());

const ask = (query: string, variables = {}, key = caller.key) => graphql(fronting.front.address, key, query, variables);
const askService = (query: string, variables = {}) =>
  graphql(fronting.service.address, fronting.space.key, query, variables);

const emit = `mutation ($accountId: ID!, $event: WebhookEvent!, $data: JSON) {
  emitEvent(input: { accountId: $accountId, event: $event, data: $data }) { __typename }
}`;
const createWebhook = `mutation ($url: String!, $accountIds: [ID!]) {
  createWebhook(input: { requestUrl: $url, accountIds: $accountIds, source: MESSAGING }) {
    __typename ... on WebhookCreated { webhookId } ... on ServiceError { code message: message }
  }
}`;

async function receiving(variables = {}, key = caller.key) {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const { data } = await ask(createWebhook, { url: receiver.address, ...variables }, key);
  return { receiver, created: data.createWebhook };
}

describe('a gateway with own webhooks', () => {
  test('delivers an event that was emitted at the service, and learns the account', async () => {
    const accountId = await fronting.space.account({ type: 'CHATAPP', name: 'Support' });
    const { receiver } = await receiving();
    await askService(emit, { accountId, event: 'MESSAGE_RECEIVED', data: { message: 'Hello', chat_id: 'c1' } });
    await receiver.waitFor(1);
    const [request] = receiver.received;
    expect(JSON.parse(request?.body ?? '')).toMatchObject({
      event: 'message_received',
      account_id: accountId,
      account_type: 'CHATAPP',
      message: 'Hello',
      chat_id: 'c1',
    });
    expect(request?.headers['webhook-signature']).toMatch(/^v1,/);
    const { data } = await ask('query ($id: ID!) { account(accountId: $id) { accountId type status } }', {
      id: accountId,
    });
    expect(data.account).toMatchObject({ accountId, type: 'CHATAPP' });
  });

  test('takes an account that it has not heard of, and gives a limited key its own only', async () => {
    const [mine, other] = [await fronting.space.account(), await fronting.space.account()];
    const limited = await caller.newKey({ accountIds: [mine] });
    const { receiver, created } = await receiving({ accountIds: [mine] }, limited);
    expect(created.__typename).toBe('WebhookCreated');
    const refused = await receiving({ accountIds: [other] }, limited);
    expect(refused.created).toMatchObject({ __typename: expect.stringMatching(/Error$/) });
    await askService(emit, { accountId: other, event: 'MESSAGE_RECEIVED', data: { message: 'not yours' } });
    await askService(emit, { accountId: mine, event: 'MESSAGE_RECEIVED', data: { message: 'yours' } });
    await receiver.waitFor(1);
    expect(receiver.received.map(({ body }) => JSON.parse(body).message)).toEqual(['yours']);
    const { data } = await ask('{ accounts(first: 250) { nodes { accountId } } }', {}, limited);
    expect(data.accounts.nodes).toEqual([{ accountId: mine }]);
  });

  test('gives tokens for an account that it has not heard of, within those of the key', async () => {
    const limited = await caller.newKey({ accountIds: ['unheard'] });
    const create = async (accountId: string) => {
      const { data } = await ask(
        'mutation ($id: ID!) { createAccessToken(input: { accountIds: [$id], scopes: [POSTS_READ] }) { __typename } }',
        { id: accountId },
        limited,
      );
      return data?.createAccessToken;
    };
    expect(await create('unheard')).toEqual({ __typename: 'AccessTokenCreated' });
    expect((await create('of-others'))?.__typename).not.toBe('AccessTokenCreated');
    expect((await create('../odd'))?.__typename).not.toBe('AccessTokenCreated');
  });

  test('serves jobs and posts of the service', async () => {
    const accountId = await fronting.space.account();
    const { data } = await ask(
      'query ($id: ID!) { posts(accountId: $id, identifier: "ACoSandbox250", first: 1) { nodes { __typename } } }',
      { id: accountId },
    );
    expect(data.posts.nodes).toEqual([{ __typename: 'PnetPost' }]);
  });
});
