/** Webhooks over GraphQL, on every backend: what it says otherwise than REST, whose table is in `test/rest/webhooks`. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { triggerContexts, triggerIcons, webhookLimits } from '../../src/capabilities/webhooks/shapes.ts';
import { enumName } from '../../src/graphql/kit/enums.ts';
import { errorTable } from '../../src/kernel/errors.ts';
import { allBackends, onOneDatabase, type SeededWorkspace, type Served } from '../support/backends.ts';
import { graphql } from '../support/gateway.ts';
import {
  anError,
  createDocument,
  createWebhook,
  deleteDocument,
  listDocument,
  readWebhook,
  requestUrl,
  webhookFields,
} from '../support/webhooks-graphql.ts';

describe.each(onOneDatabase(allBackends))('$name backend', ({ start, serves }) => {
  let served: Served;
  let workspace: SeededWorkspace;

  beforeAll(async () => {
    served = await start();
    workspace = await served.workspace();
  });
  afterAll(() => served.close());

  const create = (input: Record<string, unknown>) => createWebhook(workspace, { source: 'USERS', ...input });

  describe('createWebhook', () => {
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

  describe('webhooks', () => {
    test('lists AUTO and TRIGGER webhooks through the interface', async () => {
      const mine = await served.emptyWorkspace();
      const accountId = await mine.account();
      const auto = await mine.webhook({ name: 'Auto', account_ids: JSON.stringify([accountId]) });
      const triggers = new Map<string, { icon: string; name: string; context: string }>();
      for (const [index, icon] of triggerIcons.entries()) {
        const trigger = { icon, name: `T ${icon}`, context: triggerContexts[index % 2] ?? 'CHAT' };
        triggers.set(await mine.webhook({ trigger }), trigger);
      }
      const { data, errors } = await mine.ask(`{ webhooks { nodes { ${webhookFields} } } }`);
      expect(errors).toEqual([]);
      const nodes = data.webhooks.nodes as { webhookId: string }[];
      expect(nodes).toHaveLength(1 + triggerIcons.length);
      for (const node of nodes) {
        const trigger = triggers.get(node.webhookId);
        if (trigger === undefined) {
          expect(node).toMatchObject({ type: 'AUTO', trigger: null, webhookId: auto, source: 'USERS' });
          expect(node).toMatchObject({ name: 'Auto', accounts: [{ accountId, type: 'PNET' }] });
        } else {
          const shown = { ...trigger, icon: enumName(trigger.icon) };
          expect(node).toMatchObject({ type: 'TRIGGER', source: null, trigger: shown, events: [], data: [] });
        }
      }
      expect((await mine.ask('{ webhooks { nodes { trigger { icon } } } }')).errors).toEqual([]);
    });

    test('shows unknown terms as UNRECOGNIZED, and the rest as it is', async () => {
      const mine = await served.emptyWorkspace();
      await mine.webhook({
        events: '["new_relation","somebody_waved"]',
        data: '[{"name":"a","key":"aura"},{"name":"b","key":"timestamp"}]',
        format: 'pigeon',
      });
      await mine.webhook({ trigger: { icon: 'RocketIcon' as 'CableIcon', name: 'x', context: 'CALL' as 'CHAT' } });
      const { data, errors } = await mine.ask(`{ webhooks { nodes { ${webhookFields} } } }`);
      expect(errors).toEqual([]);
      expect(data.webhooks.nodes.find((node: { type: string }) => node.type === 'AUTO')).toMatchObject({
        events: ['NEW_RELATION', 'UNRECOGNIZED'],
        data: [
          { name: 'a', key: 'UNRECOGNIZED' },
          { name: 'b', key: 'TIMESTAMP' },
        ],
        format: 'UNRECOGNIZED',
      });
      expect(data.webhooks.nodes.find((node: { type: string }) => node.type === 'TRIGGER').trigger).toEqual({
        name: 'x',
        icon: 'UNRECOGNIZED',
        context: 'UNRECOGNIZED',
      });
    });

    test('pages oldest first, 100 by default, without losing or repeating any', async () => {
      const mine = await served.emptyWorkspace();
      const started = served.clock.now;
      const made: string[] = [];
      for (let index = 0; index < 260; index += 1) {
        served.clock.now = new Date(started.getTime() + Math.floor(index / 3) * 1000);
        made.push(await mine.webhook());
      }
      served.clock.now = started;
      const pages = async (first?: number) => {
        const seen: string[] = [];
        const sizes: number[] = [];
        let after: string | null = null;
        for (;;) {
          const { data } = await mine.ask(listDocument, { ...(first === undefined ? {} : { first }), after });
          const { edges, nodes, pageInfo } = data.webhooks;
          expect(edges.map((edge: { node: unknown }) => edge.node)).toEqual(nodes);
          expect(pageInfo.hasPreviousPage).toBe(after !== null);
          seen.push(...nodes.map(({ webhookId }: { webhookId: string }) => webhookId));
          sizes.push(nodes.length);
          if (!pageInfo.hasNextPage) return { seen, sizes };
          after = pageInfo.endCursor;
        }
      };
      const { seen, sizes } = await pages();
      expect(sizes).toEqual([webhookLimits.limit.default, 100, 60]);
      expect([...seen].sort()).toEqual([...made].sort());
      // Those made at one moment have no order of their own, but a moment's come before the next one's.
      expect(seen.map((id) => Math.floor(made.indexOf(id) / 3))).toEqual(made.map((_, index) => Math.floor(index / 3)));
      expect((await pages(webhookLimits.limit.max)).sizes).toEqual([250, 10]);
      for (const first of [26, 130, 249]) expect((await pages(first)).seen).toEqual(seen);
      const { data } = await mine.ask(listDocument, { first: 60 });
      for (const [index, { cursor }] of data.webhooks.edges.entries()) {
        const next = await mine.ask(listDocument, { first: 2, after: cursor });
        expect(next.data.webhooks.nodes.map(({ webhookId }: { webhookId: string }) => webhookId)).toEqual(
          seen.slice(index + 1, index + 3),
        );
      }
    });

    test.each([
      [-1, 'invalid_parameters'],
      [251, 'limit_too_high'],
      [2 ** 31 - 1, 'limit_too_high'],
    ] as const)('first: %i is %s', async (first, name) => {
      const { data, errors } = await workspace.ask(listDocument, { first });
      expect(data).toEqual({ webhooks: null });
      const { status } = errorTable[name];
      expect(errors).toMatchObject([
        { path: ['webhooks'], extensions: { code: name.toUpperCase(), status, issues: [{ path: ['first'] }] } },
      ]);
    });

    test('refuses cursors of other lists, and forged ones', async () => {
      const [mine, other] = [await served.workspace(), await served.workspace()];
      await mine.webhook();
      await other.webhook();
      const { data } = await other.ask(listDocument);
      // A cursor is bound to the key that it was made for, also where all keys share a workspace.
      for (const after of [data.webhooks.edges[0].cursor, '', 'x', 'eyJhIjoxfQ']) {
        const { errors } = await mine.ask(listDocument, { after });
        expect(errors).toMatchObject([{ extensions: { code: 'INVALID_PARAMETERS', issues: [{ path: ['after'] }] } }]);
      }
    });
  });

  describe('deleteWebhook', () => {
    async function remove(id: string) {
      const { data, errors } = await workspace.ask(deleteDocument, { id });
      expect(errors).toEqual([]);
      return data.deleteWebhook;
    }

    test('deletes a webhook, and returns the global id for caches', async () => {
      const { webhookId, webhook } = await create({});
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
});
