/** Listing webhooks over GraphQL, on every backend. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { triggerContexts, triggerIcons, webhookLimits } from '../../src/capabilities/webhooks/shapes.ts';
import { enumName } from '../../src/graphql/kit/enums.ts';
import { errorTable } from '../../src/kernel/errors.ts';
import { allBackends, type SeededWorkspace, type Served } from '../support/backends.ts';
import { listDocument, webhookFields } from '../support/webhooks-graphql.ts';

describe.each(allBackends)('webhooks, $name backend', ({ start }) => {
  let served: Served;
  let workspace: SeededWorkspace;

  beforeAll(async () => {
    served = await start();
    workspace = await served.workspace();
  });
  afterAll(() => served.close());

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
