/** Creating webhooks over GraphQL, on every backend: what it says otherwise than REST, whose table is in `test/rest/webhooks`. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allBackends, onOneDatabase, type SeededWorkspace, type Served } from '../support/backends.ts';
import { graphql } from '../support/gateway.ts';
import { anError, createDocument, createWebhook, listDocument, requestUrl } from '../support/webhooks-graphql.ts';

describe.each(onOneDatabase(allBackends))('createWebhook, $name backend', ({ start, serves }) => {
  let served: Served;
  let workspace: SeededWorkspace;

  beforeAll(async () => {
    served = await start();
    workspace = await served.workspace();
  });
  afterAll(() => served.close());

  const create = (input: Record<string, unknown>) => createWebhook(workspace, { source: 'USERS', ...input });

  test('keeps every field', async () => {
    const accountId = await workspace.account({ name: 'Mine' });
    const fields = {
      name: 'Everything',
      format: 'FORM',
      isEnabled: false,
      headers: [
        { key: 'X-One', value: '1' },
        { key: 'X-Two', value: '' },
      ],
    };
    const twice = { accountIds: [accountId, accountId], events: ['NEW_RELATION', 'NEW_RELATION'] };
    expect((await create({ ...fields, ...twice, data: [] })).webhook).toMatchObject({
      ...fields,
      accounts: [{ accountId, name: 'Mine', type: 'PNET' }],
      events: ['NEW_RELATION'],
      data: [],
    });
  });

  test('has defaults', async () => {
    expect((await create({ events: null, data: null })).webhook).toMatchObject({
      __typename: 'Webhook',
      ...{ name: null, isEnabled: true, requestUrl, format: 'JSON', accounts: null, headers: [] },
    });
  });

  test.each([
    [{ source: 'UNRECOGNIZED' }, ['source']],
    [{ format: 'UNRECOGNIZED' }, ['format']],
    [{ events: ['UNRECOGNIZED'] }, ['events', '0']],
    [{ data: [{ name: 'x', key: 'UNRECOGNIZED' }] }, ['data', '0', 'key']],
    [{ source: 'ACCOUNT_STATUS', data: [] }, ['data'], 'is not accepted for this source'],
    // In the words of GraphQL.
    [{ events: ['MAIL_SENT'] }, ['events', '0'], expect.stringMatching(/^must be (one of )?NEW_RELATION/)],
    // Null stands for all.
    [{ events: [] }, ['events']],
    [{ accountIds: [] }, ['accountIds']],
  ] as const)('refuses %j at its path', async (input, path, message: string = expect.any(String)) => {
    expect(await create(input)).toMatchObject({
      ...anError('invalid_parameters'),
      issues: [{ path: ['input', ...path], message }],
    });
  });

  test('refuses accounts that are foreign, or not of the key', async () => {
    const [mine, other] = [await workspace.account(), await workspace.account()];
    // Of a service, an account that nobody has told of is no unknown one.
    if (serves.workspaces) {
      const foreign = await (await served.workspace()).account();
      expect(await create({ accountIds: [foreign] })).toMatchObject(anError('resource_not_found'));
    }
    const limited = await workspace.newKey({ accountIds: [mine] });
    const created = async (accountIds: readonly string[] | null) => {
      const input = { requestUrl, source: 'USERS', accountIds };
      return (await graphql(served.address, limited, createDocument, { input })).data.createWebhook;
    };
    for (const accountIds of [[other], [mine, other], null])
      expect(await created(accountIds)).toMatchObject(anError('account_mismatch'));
    expect((await created([mine])).__typename).toBe('WebhookCreated');
  });

  test('creates nothing when it fails', async () => {
    const mine = await served.emptyWorkspace();
    await createWebhook(mine, { requestUrl: 'x', source: 'USERS' });
    expect((await mine.ask(listDocument)).data.webhooks.nodes).toEqual([]);
  });
});
