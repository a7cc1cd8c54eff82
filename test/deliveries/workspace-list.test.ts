/** The deliveries of a workspace in one list: what it has, in which order, and who sees it. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DeliveringGateway, deliverySetUps, startDelivering } from '../support/deliveries.ts';
import { graphql } from '../support/gateway.ts';
import { oddTimes } from '../support/odd-times.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { requestContext } from '../support/request-context.ts';

interface Node {
  readonly deliveryId: string;
  readonly webhookId: string;
  readonly eventId: string;
  readonly accountId: string | null;
  readonly event: string;
  readonly state: string;
  readonly createdAt: string;
}

const document = (args: string) => `query ($first: Int!, $after: String) {
  deliveries(first: $first, after: $after ${args}) {
    totalCount nodes { deliveryId webhookId eventId accountId event state createdAt } pageInfo { hasNextPage endCursor }
  }
}`;

describe.each(deliverySetUps)('the deliveries of a workspace on $name', (dialect) => {
  let gateway: DeliveringGateway;
  let receiver: Receiver;
  let accountIds: [string, string];
  let webhookIds: string[];

  /** Two accounts; webhooks of the first, of both, and of all. */
  beforeEach(async () => {
    [gateway, receiver] = await Promise.all([startDelivering({ dialect }), startReceiver()]);
    accountIds = [gateway.accountId, await gateway.space.account()];
    webhookIds = [];
    for (const listened of [[accountIds[0]], accountIds, []])
      webhookIds.push(
        await gateway.webhook(`${receiver.address}/${listened.length}`, {
          account_ids: JSON.stringify(listened),
          source: 'account_status',
          events: '["ok","stopped"]',
        }),
      );
    for (let n = 0; n < 6; n += 1) {
      const status = n === 4 ? 410 : 200;
      // The webhook of all accounts is gone at the fifth event: what follows is held.
      receiver.answer = ({ path }, response) => void response.writeHead(path === '/0' ? status : 200).end();
      await gateway.app.ports.deliveries.emit(requestContext(gateway.space.workspaceId), {
        account_id: accountIds[n % 2] ?? '',
        event: n < 3 ? 'ok' : 'stopped',
      });
      await gateway.pass(n % 3 === 0 ? 0 : 1_000);
    }
  });
  afterEach(() => Promise.all([gateway.close(), receiver.close()]));

  const page = async (args = '', variables: object = {}, key = gateway.space.key) => {
    const { data, errors } = await graphql(gateway.address, key, document(args), { first: 100, ...variables });
    expect(errors, args).toEqual([]);
    return data.deliveries;
  };
  async function whole(args: string, first: number, key?: string): Promise<Node[]> {
    const seen: Node[] = [];
    for (let after: string | null = null, more = true; more; ) {
      const { nodes, pageInfo }: { nodes: Node[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } } =
        await page(args, { first, after }, key);
      seen.push(...nodes);
      [after, more] = [pageInfo.endCursor, pageInfo.hasNextPage];
    }
    return seen;
  }

  it('are listed and counted by each filter, page by page, in both orders', async () => {
    const { totalCount, nodes }: { totalCount: number; nodes: Node[] } = await page();
    const stored = await gateway.deliveries();
    expect(totalCount).toBe(stored.length);
    expect(nodes.map(({ deliveryId }) => deliveryId)).toEqual(stored.map(({ id }) => id).reverse());
    expect(new Set(nodes.map(({ webhookId }) => webhookId)).size).toBe(3);
    expect(new Set(nodes.map(({ state }) => state))).toEqual(new Set(['SUCCEEDED', 'FAILED', 'HELD']));
    const time = nodes[5]?.createdAt ?? '';
    const early = nodes.at(-4)?.createdAt ?? '';
    const at = (suffix: string) => time.replace('Z', suffix);
    const failed = nodes.find(({ state }) => state === 'FAILED');
    const { eventId = '', webhookId: receiving = '' } = failed ?? {};
    expect(new Set(nodes.flatMap((node) => (node.eventId === eventId ? node.state : []))).size).toBeGreaterThan(1);
    const filters: [string, (node: Node) => boolean][] = [
      [', states: []', () => false],
      [', states: null', () => true],
      [', states: SUCCEEDED', ({ state }) => state === 'SUCCEEDED'],
      [', states: [FAILED, HELD]', ({ state }) => state === 'FAILED' || state === 'HELD'],
      [`, webhookId: "${webhookIds[1]}"`, ({ webhookId }) => webhookId === webhookIds[1]],
      [`, accountId: "${accountIds[1]}"`, ({ accountId }) => accountId === accountIds[1]],
      [', events: OK', ({ event }) => event === 'OK'],
      [', events: [OK, STOPPED, ERROR]', () => true],
      [', events: ERROR', () => false],
      [`, since: "${time}"`, ({ createdAt }) => createdAt >= time],
      [`, since: "${early}", until: "${time}"`, ({ createdAt }) => createdAt >= early && createdAt < time],
      // A tenth of a millisecond later, in the basic form, and with an offset.
      [`, since: "${at('1+0000').replace(/[-:]/g, '')}"`, ({ createdAt }) => createdAt > time],
      [`, until: "${at('1-00:00')}"`, ({ createdAt }) => createdAt <= time],
      [
        `, until: "${time}", webhookId: "${webhookIds[0]}"`,
        (node) => node.createdAt < time && node.webhookId === webhookIds[0],
      ],
      [`, webhookId: "${'A'.repeat(22)}"`, () => false],
      [`, eventId: "${eventId}"`, (node) => node.eventId === eventId],
      [`, eventId: "${eventId}", states: SUCCEEDED`, (node) => node.eventId === eventId && node.state === 'SUCCEEDED'],
      [
        `, eventId: "${eventId}", webhookId: "${receiving}"`,
        (node) => node.eventId === eventId && node.webhookId === receiving,
      ],
      [`, eventId: "${eventId}", until: "${nodes.at(-1)?.createdAt}"`, () => false],
      [', eventId: "another"', () => false],
    ];
    for (const [args, fits] of filters) {
      const expected = nodes.filter(fits);
      expect((await page(args)).totalCount, args).toBe(expected.length);
      for (const first of [1, 4, 100]) {
        expect(await whole(args, first), args).toEqual(expected);
        expect(await whole(`${args}, orderBy: CREATED_AT_ASC`, first), args).toEqual([...expected].reverse());
      }
    }
  });

  it('of a webhook are the same list as its own', async () => {
    for (const webhookId of webhookIds) {
      const own = `{ webhook(webhookId: "${webhookId}") { deliveries(first: 100) { totalCount nodes { deliveryId } } } }`;
      const { data } = await graphql(gateway.address, gateway.space.key, own);
      const { totalCount, nodes } = await page(`, webhookId: "${webhookId}"`);
      expect({ totalCount, nodes: nodes.map(({ deliveryId }: Node) => ({ deliveryId })) }).toEqual(
        data.webhook.deliveries,
      );
    }
  });

  it('have cursors for one list and one order', async () => {
    const { pageInfo } = await page('', { first: 1 });
    const after = pageInfo.endCursor;
    expect((await page(', orderBy: CREATED_AT_DESC', { first: 1, after })).nodes).toHaveLength(1);
    for (const args of [
      ', events: OK',
      `, since: "${new Date(0).toISOString()}"`,
      ', orderBy: CREATED_AT_ASC',
      ', states: HELD',
      `, webhookId: "${webhookIds[0]}"`,
      ', eventId: "another"',
    ]) {
      const { errors } = await graphql(gateway.address, gateway.space.key, document(args), { first: 1, after });
      expect(errors).toMatchObject([{ extensions: { code: 'INVALID_PARAMETERS', issues: [{ path: ['after'] }] } }]);
    }
  });

  it('take times in the forms of RFC 3339, and no others', async () => {
    for (const [sent, told] of oddTimes.filter(([text]) => text.length < 200)) {
      const time = JSON.stringify(sent);
      const { errors } = await graphql(gateway.address, gateway.space.key, document(`since: ${time}, until: ${time}`), {
        first: 1,
      });
      const issues = [{ path: ['since'] }, { path: ['until'] }];
      expect(errors, sent).toMatchObject(told === null ? [{ extensions: { code: 'INVALID_PARAMETERS', issues } }] : []);
    }
  });

  it('are those of the accounts of a limited key, as its webhooks show them, and of no other workspace', async () => {
    const [own, other] = accountIds;
    // No limited key sees an event without an account.
    const event = { accountType: null, source: 'account_status', event: 'ok', data: {} } as const;
    await gateway.delivery.emit({ ...event, workspaceId: gateway.space.workspaceId, accountId: null });
    const limited = await gateway.space.newKey({ accountIds: [own] });
    const all: Node[] = await whole('', 100);
    const seen = all.filter(({ accountId }) => accountId === own);
    expect(seen.length).toBeLessThan(all.length);
    for (const first of [1, 100]) expect(await whole('', first, limited)).toEqual(seen);
    expect((await page('', {}, limited)).totalCount).toBe(seen.length);
    expect(all.map(({ accountId }) => accountId)).toContain(null);
    const find = 'query F($id: ID!) { delivery(deliveryId: $id) { accountId } }';
    for (const { deliveryId, accountId } of all)
      expect((await graphql(gateway.address, limited, find, { id: deliveryId })).data.delivery).toEqual(
        accountId === own ? { accountId } : null,
      );
    for (const webhookId of webhookIds) {
      const fitting = seen.filter((node) => node.webhookId === webhookId);
      const args = `, webhookId: "${webhookId}"`;
      expect((await page(args, {}, limited)).nodes).toEqual(fitting);
      // Where the page has not all of them, they are counted.
      expect((await page(args, { first: 1 }, limited)).totalCount).toBe(fitting.length);
    }
    const foreign = `, eventId: "${all.find(({ accountId }) => accountId === other)?.eventId}"`;
    expect(await page(foreign, {}, limited)).toMatchObject({ totalCount: 0, nodes: [] });
    const ofWebhooks = '{ webhooks(first: 5) { nodes { deliveries(first: 50) { nodes { deliveryId } } } } }';
    const { data } = await graphql(gateway.address, limited, ofWebhooks);
    const shown = data.webhooks.nodes.flatMap((node: { deliveries: { nodes: Node[] } }) => node.deliveries.nodes);
    expect(shown.map(({ deliveryId }: Node) => deliveryId).sort()).toEqual(
      seen.map(({ deliveryId }) => deliveryId).sort(),
    );
    const refused = await graphql(gateway.address, limited, document(`, accountId: "${other}"`), { first: 1 });
    expect(refused.errors).toMatchObject([{ path: ['deliveries'], extensions: { code: 'ACCOUNT_MISMATCH' } }]);

    // Where all keys share a workspace, there is no other.
    if (!dialect.isFronting) {
      const stranger = await gateway.workspace();
      expect(await page('', {}, stranger.key)).toMatchObject({ totalCount: 0, nodes: [] });
      for (const args of [`webhookId: "${webhookIds[0]}"`, foreign, `${foreign}, webhookId: "${webhookIds[2]}"`])
        expect(await page(`, ${args}`, {}, stranger.key)).toMatchObject({ totalCount: 0, nodes: [] });
    }
    const writer = await gateway.space.newKey({ scopes: ['webhooks:write'] });
    const { errors } = await graphql(gateway.address, writer, document(''), { first: 1 });
    expect(errors).toMatchObject([{ path: ['deliveries'], extensions: { code: 'INSUFFICIENT_PRIVILEGES' } }]);
  });

  it('leave out those of a webhook that is being deleted, and pages stay full', async () => {
    const before: Node[] = await whole('', 100);
    const [removed = ''] = webhookIds;
    await gateway.app.database
      .insertInto('workspaces')
      .values({ id: 'removed-webhooks', name: 'Webhooks that are being deleted', created_at: 0 })
      .execute();
    await gateway.app.database
      .updateTable('webhooks')
      .set({ workspace_id: 'removed-webhooks' })
      .where('id', '=', removed)
      .execute();
    const left = before.filter(({ webhookId }) => webhookId !== removed);
    for (const first of [1, 2, 100]) expect(await whole('', first)).toEqual(left);
    const { data } = await graphql(
      gateway.address,
      gateway.space.key,
      '{ viewer { workspace { webhookSummary { count backlog { heldCount } } } } }',
    );
    const held = left.filter(({ state }) => state === 'HELD').length;
    expect(data.viewer.workspace.webhookSummary).toEqual({ count: 2, backlog: { heldCount: held } });
  });

  it('have the id that receivers see as webhook-id', async () => {
    const sent = new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
    const nodes: Node[] = await whole(', states: [SUCCEEDED, FAILED]', 100);
    expect(new Set(nodes.map(({ deliveryId }) => deliveryId))).toEqual(sent);
  });
});
