/** Deleting webhooks over GraphQL, on every backend. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allBackends, onOneDatabase, type SeededWorkspace, type Served } from '../support/backends.ts';
import { anError, createWebhook, deleteDocument, readWebhook } from '../support/webhooks-graphql.ts';

describe.each(onOneDatabase(allBackends))('deleteWebhook, $name backend', ({ start, serves }) => {
  let served: Served;
  let workspace: SeededWorkspace;

  beforeAll(async () => {
    served = await start();
    workspace = await served.workspace();
  });
  afterAll(() => served.close());

  const create = (input: Record<string, unknown>) => createWebhook(workspace, input);
  async function remove(id: string) {
    const { data, errors } = await workspace.ask(deleteDocument, { id });
    expect(errors).toEqual([]);
    return data.deleteWebhook;
  }

  test('deletes a webhook, and returns the global id for caches', async () => {
    const { webhookId, webhook } = await create({ source: 'USERS' });
    const found = await workspace.ask('query ($id: ID!) { node(id: $id) { __typename id } }', { id: webhook.id });
    expect(found.data.node).toEqual({ __typename: 'Webhook', id: webhook.id });
    expect(await remove(webhookId)).toEqual({ __typename: 'WebhookDeleted', webhookId, deletedId: webhook.id });
    const gone = await workspace.ask('query ($id: ID!) { node(id: $id) { id } nodes(ids: [$id]) { id } }', {
      id: webhook.id,
    });
    expect(gone.data).toEqual({ node: null, nodes: [null] });
    expect(await readWebhook(workspace, webhookId)).toBeNull();
    expect(await remove(webhookId)).toMatchObject(anError('resource_not_found'));
  });

  test('deletes a TRIGGER webhook', async () => {
    const id = await workspace.webhook({ trigger: { icon: 'CableIcon', name: 'Go', context: 'CHAT' } });
    expect(await remove(id)).toMatchObject({ __typename: 'WebhookDeleted', webhookId: id });
  });

  test('succeeds for one of several requests at once', async () => {
    const id = await workspace.webhook();
    const answers = await Promise.all(Array.from({ length: 8 }, () => remove(id)));
    expect(answers.filter(({ __typename }) => __typename === 'WebhookDeleted')).toHaveLength(1);
    expect(answers.filter(({ code }) => code === 'RESOURCE_NOT_FOUND')).toHaveLength(7);
  });

  test('refuses ids that are unknown, foreign or malformed', async () => {
    expect(await remove('A'.repeat(22))).toMatchObject(anError('resource_not_found'));
    // Where all keys share a workspace, no webhook is foreign.
    if (serves.workspaces) {
      const theirs = await (await served.workspace()).webhook();
      expect(await remove(theirs)).toMatchObject(anError('resource_not_found'));
    }
    expect(await remove('nonsense')).toMatchObject(anError('invalid_resource_identifier'));
    expect(await remove('A/../../x')).toMatchObject(anError('invalid_resource_identifier'));
  });
});
