/** Objects that lead on to others: with how many statements and calls of networks. Scopes: required-scopes.test.ts. */

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/kernel/ids.ts';
import type { SandboxNetworks } from '../../src/providers/sandbox/networks.ts';
import { backends, type SeededWorkspace, type Served } from '../support/backends.ts';
import { graphql } from '../support/gateway.ts';
import { statementsOf } from '../support/statements.ts';

/** Counts the pages that are read of networks. */
const calls = { posts: 0 };
const countingCalls = (sandbox: SandboxNetworks): SandboxNetworks => ({
  ...sandbox,
  PNET: {
    ...sandbox.PNET,
    listPosts: (...given) => {
      calls.posts += 1;
      return sandbox.PNET.listPosts(...given);
    },
  },
});

interface Edge {
  readonly parent: string;
  readonly selection: string;
  /** Statements that it adds for however many parents. */
  readonly statements: number;
}

const job = 'jobPostings(first: 2) { nodes { jobId } }';
const webhook = 'webhooks(first: 2) { nodes { webhookId } }';

const edges: readonly Edge[] = [
  { parent: 'accounts', selection: job, statements: 2 },
  {
    parent: 'accounts',
    selection: 'jobPostings(first: 1) { totalCount }',
    statements: 4,
  },
  { parent: 'accounts', selection: webhook, statements: 1 },
  {
    parent: 'accounts',
    selection: 'webhooks(first: 1) { totalCount }',
    statements: 2,
  },
  {
    parent: 'jobPostings',
    selection: 'account { name }',
    statements: 1,
  },
  {
    parent: 'webhooks',
    selection: 'accounts { account { status } }',
    // The sizes of the webhooks' large parts, these parts, the accounts that webhooks show, and whole accounts.
    statements: 4,
  },
  {
    parent: 'webhooks',
    selection: 'deliveries(first: 2) { nodes { deliveryId } }',
    statements: 1,
  },
  {
    parent: 'webhooks',
    selection: 'deliveries(first: 2, states: [HELD]) { totalCount nodes { account { name } webhook { name } } }',
    // Pages, sizes, accounts and webhooks.
    statements: 4,
  },
];

const parents = 12;

describe.each(backends.filter(({ serves }) => serves.accounts))('the graph, $name backend', (backend) => {
  let gateway: Served;
  let workspace: SeededWorkspace;
  let accountIds: readonly string[];

  beforeAll(async () => {
    gateway = await backend.start({ providers: countingCalls });
    workspace = await gateway.workspace();
    accountIds = await Promise.all(Array.from({ length: parents }, () => workspace.account()));
    for (const [index, accountId] of accountIds.entries()) {
      for (let n = 0; n < 3; n += 1) await workspace.draft({ accountId, state: n === 0 ? 'draft' : 'closed' });
      const account_ids = JSON.stringify([accountId]);
      const webhookId = await workspace.webhook({ account_ids, enabled: 0, name: `of ${accountId}` });
      for (let n = 0; n < 3; n += 1)
        await storeDelivery(webhookId, accountId, gateway.clock.now.getTime() - 10_000 + index + n);
    }
  });
  afterAll(() => gateway.close());

  async function storeDelivery(webhook_id: string, account_id: string, created_at: number): Promise<void> {
    const { database } = gateway;
    const event = { workspace_id: workspace.workspaceId, account_id, event: 'new_relation', created_at };
    const event_id = newId(randomBytes);
    await database
      .insertInto('events')
      .values({
        ...event,
        id: event_id,
        account_type: 'PNET',
        source: 'users',
        data: '{}',
        idempotency_key: null,
        fingerprint: '',
      })
      .execute();
    await database
      .insertInto('deliveries')
      .values({
        ...event,
        id: newId(randomBytes),
        webhook_id,
        event_id,
        state: 'held',
        attempts: 0,
        attempts_before: 0,
        next_at: 0,
        claim_token: null,
        finished_at: null,
      })
      .execute();
  }

  test('each object links to its own related objects', async () => {
    const { data, errors } = await workspace.ask(`{
      viewer { workspace { workspaceId } } accounts(types: PNET, first: 12) { totalCount nodes {
        accountId
        drafts: jobPostings(states: DRAFT, first: 2) { totalCount nodes { accountId state } }
        jobPostings(first: 3) { totalCount nodes { account { accountId } } }
        webhooks(isEnabled: false, first: 1) { totalCount nodes {
          name accounts { account { accountId } }
          deliveries(events: NEW_RELATION, first: 3) { totalCount nodes { account { accountId } webhook { name } } }
        } }
      } }
    }`);
    expect(errors).toEqual([]);
    expect(data.viewer.workspace).toEqual({ workspaceId: workspace.workspaceId });
    expect(data.accounts.totalCount).toBe(parents);
    const account = (accountId: string) => ({ account: { accountId } });
    for (const node of data.accounts.nodes) {
      const { accountId } = node;
      const name = `of ${accountId}`;
      expect(node).toEqual({
        accountId,
        drafts: { totalCount: 1, nodes: [{ accountId, state: 'DRAFT' }] },
        jobPostings: { totalCount: 3, nodes: [account(accountId), account(accountId), account(accountId)] },
        webhooks: {
          totalCount: 1,
          nodes: [
            {
              name,
              accounts: [account(accountId)],
              deliveries: { totalCount: 3, nodes: Array(3).fill({ ...account(accountId), webhook: { name } }) },
            },
          ],
        },
      });
    }
    expect(data.accounts.nodes.map(({ accountId }: { accountId: string }) => accountId).sort()).toEqual(
      [...accountIds].sort(),
    );
  });

  test('each list behind a list goes on from its own cursor', async () => {
    const ask = (after: string) => `{ accounts(first: 12) { nodes {
      jobPostings(first: 2 ${after}) { nodes { jobId } pageInfo { endCursor hasNextPage } } } } }`;
    const { data } = await workspace.ask(ask(''));
    const [first, second] = data.accounts.nodes;
    const after = `, after: "${first.jobPostings.pageInfo.endCursor}"`;
    const next = await workspace.ask(ask(after));
    // The cursor is of the first list only: the other lists refuse it, and the first has what was left.
    expect(next.errors).toHaveLength(parents - 1);
    expect(next.errors[0]).toMatchObject({
      path: ['accounts', 'nodes', 1, 'jobPostings'],
      extensions: { code: 'INVALID_PARAMETERS', issues: [{ path: ['after'] }] },
    });
    const [rest, ...refused] = next.data.accounts.nodes;
    expect(rest.jobPostings.nodes).toHaveLength(1);
    expect(first.jobPostings.nodes).not.toContainEqual(rest.jobPostings.nodes[0]);
    expect(second.jobPostings.nodes).toHaveLength(2);
    expect(refused).toEqual(Array(parents - 1).fill({ jobPostings: null }));
  });

  test.each(edges)('$parent { $selection } takes as many statements for many as for one', async (edge) => {
    const { parent, selection, statements } = edge;
    const read = (first: number, inner: string) =>
      statementsOf(workspace.workspaceId, async () => {
        const { data, errors } = await workspace.ask(`{ ${parent}(first: ${first}) { nodes { id ${inner} } } }`);
        expect(errors).toEqual([]);
        expect(data[parent].nodes).toHaveLength(first);
      });
    const without = await read(parents, '');
    expect(await read(1, selection)).toHaveLength(without.length + statements);
    expect(await read(parents, selection)).toHaveLength(without.length + statements);
  });

  test('lists of one kind at the root are read together', async () => {
    const query =
      '{ a: jobPostings(states: DRAFT) { totalCount nodes { id } } b: jobPostings(states: CLOSED) { totalCount nodes { id } } }';
    const seen = await statementsOf(workspace.workspaceId, async () =>
      expect((await workspace.ask(query)).errors).toEqual([]),
    );
    // Where each ends that looks at many rows, and its rows.
    expect(seen).toHaveLength(4);
  });

  test('the posts of an account are read with it, each list once', async () => {
    const posts = (first: number) => `posts(identifier: "ADoSandbox25", first: ${first}) { nodes { __typename } }`;
    calls.posts = 0;
    const { data, errors } = await workspace.ask(
      `{ accounts(first: 3) { nodes { few: ${posts(1)} more: ${posts(3)} } } }`,
    );
    expect(errors).toEqual([]);
    for (const { few, more } of data.accounts.nodes) expect([few.nodes.length, more.nodes.length]).toEqual([1, 3]);
    // Each account may see something else.
    expect(calls.posts).toBe(3);
  });

  test('a key that is limited to hundreds of accounts reads the deliveries of many webhooks', async () => {
    const accountId = await workspace.account();
    const ids = Array.from({ length: 300 }, (_, n) => (n === 0 ? accountId : newId(randomBytes)));
    const key = await workspace.newKey({ accountIds: ids });
    for (let count = 0; count < 25; count += 1) await workspace.webhook({ account_ids: JSON.stringify([accountId]) });
    const query = `{ webhooks(accountId: "${accountId}", first: 25) {
      nodes { deliveries(events: [${Array(250).fill('MESSAGE_RECEIVED').join()}]) { totalCount nodes { deliveryId } } } } }`;
    const { data, errors } = await graphql(gateway.address, key, query);
    expect(errors).toEqual([]);
    expect(data.webhooks.nodes).toEqual(Array(25).fill({ deliveries: { totalCount: 0, nodes: [] } }));
  });
});
