/** How webhooks are: what makes one failing, how many are, and who is told. */
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import type { DisabledReason, WebhookHealthState } from '../../src/capabilities/webhooks/shapes.ts';
import { failingFrom, judge, type StoredRun } from '../../src/delivery/destination-health.ts';
import { failingLimit, type RetryDecision } from '../../src/delivery/retry-policy.ts';
import { type DeliveringGateway, deliverySetUps, startDelivering } from '../support/deliveries.ts';
import { graphql } from '../support/gateway.ts';
import { seededRandom } from '../support/random.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { requestContext } from '../support/request-context.ts';

const day = 86_400_000;

const listDocument = /* GraphQL */ `
  query Webhooks($health: [WebhookHealthState!], $first: Int! = 100, $after: String) {
    webhooks(healthStates: $health, first: $first, after: $after) {
      totalCount
      nodes { webhookId health { state failingSince failedAttemptCount } }
      pageInfo { hasNextPage endCursor }
    }
  }
`;

const summaryDocument = /* GraphQL */ `
  query Summary($period: StatisticsPeriod! = DAY) {
    viewer {
      workspace {
        webhookSummary(period: $period) {
          count healthyCount failingCount disabledCount disabledByGatewayCount
          statistics { total { count succeededCount successRate } spans { count } }
          backlog { pendingCount heldCount oldestPendingAt }
        }
      }
    }
  }
`;

describe.each(deliverySetUps)('the health of webhooks on $name', (dialect) => {
  let gateway: DeliveringGateway;
  let receiver: Receiver;
  beforeEach(async () => {
    [gateway, receiver] = await Promise.all([startDelivering({ dialect }), startReceiver()]);
  });
  afterEach(() => Promise.all([gateway.close(), receiver.close()]));

  const ask = async (document: string, variables = {}, key = gateway.space.key) => {
    const { data, errors } = await graphql(gateway.address, key, document, variables);
    expect(errors).toEqual([]);
    return data;
  };
  const list = async (health: readonly string[] | null, key?: string) =>
    (await ask(listDocument, { health }, key)).webhooks;
  const summary = async (key?: string, period = 'DAY') =>
    (await ask(summaryDocument, { period }, key)).viewer.workspace.webhookSummary;
  const answer = (status: number) => {
    receiver.answer = (_request, response) => void response.writeHead(status).end();
  };

  it('is failing after several attempts and some time, and no more after one that succeeds', async () => {
    const webhookId = await gateway.webhook(receiver.address);
    const failingSince = gateway.clock.now.toISOString();
    answer(500);
    await gateway.emit(1);
    await gateway.pass(0);
    expect((await list(null)).nodes).toEqual([
      { webhookId, health: { state: 'HEALTHY', failingSince: null, failedAttemptCount: 1 } },
    ]);
    // The second attempt, the third, and the fourth.
    for (const ms of [10_000, 100_000]) await gateway.pass(ms);
    expect(await list(['FAILING'])).toMatchObject({ totalCount: 0, nodes: [] });
    expect(await summary()).toMatchObject({ count: 1, healthyCount: 1, failingCount: 0 });
    await gateway.pass(500_000);
    const failing = { webhookId, health: { state: 'FAILING', failingSince, failedAttemptCount: 4 } };
    // Who enables an enabled webhook forgives nothing.
    const context = requestContext(gateway.space.workspaceId);
    await gateway.app.ports.webhooks.update(context, { webhook_id: webhookId, enabled: true });
    expect(await list(['FAILING'])).toMatchObject({ totalCount: 1, nodes: [failing] });
    expect(await summary()).toMatchObject({
      ...{ count: 1, healthyCount: 0, failingCount: 1, disabledCount: 0 },
      statistics: { total: { count: 4, succeededCount: 0, successRate: 0 } },
      backlog: { pendingCount: 1, heldCount: 0, oldestPendingAt: failingSince },
    });
    answer(200);
    await gateway.pass(day);
    expect((await list(null)).nodes).toEqual([
      { webhookId, health: { state: 'HEALTHY', failingSince: null, failedAttemptCount: 0 } },
    ]);
    expect(await list(['FAILING'])).toMatchObject({ totalCount: 0, nodes: [] });
    expect(await summary()).toMatchObject({
      ...{ healthyCount: 1, failingCount: 0 },
      backlog: { pendingCount: 0, oldestPendingAt: null },
    });
  });

  it('is disabled by the gateway, or by a caller', async () => {
    const context = requestContext(gateway.space.workspaceId);
    const { webhooks } = gateway.app.ports;
    answer(410);
    const gone = await gateway.webhook(receiver.address);
    await gateway.emit(1);
    await gateway.pass(0);
    const off = await gateway.webhook(receiver.address);
    await webhooks.update(context, { webhook_id: off, enabled: false });
    const { webhook_id: never } = await webhooks.create(context, {
      ...{ source: 'users', request_url: receiver.address, enabled: false },
    });
    const ids = async (...health: WebhookHealthState[]) =>
      (await list(health.map((state) => state.toUpperCase()))).nodes.map(
        (node: { webhookId: string }) => node.webhookId,
      );
    expect(await ids('disabled_by_gateway')).toEqual([gone]);
    expect((await ids('disabled_by_caller')).sort()).toEqual([off, never].sort());
    expect((await ids('disabled_by_caller', 'healthy', 'disabled_by_gateway')).sort()).toEqual(
      [gone, off, never].sort(),
    );
    expect(await summary()).toMatchObject({ count: 3, healthyCount: 0, disabledCount: 3, disabledByGatewayCount: 1 });
    for (const webhook_id of [gone, off, never]) await webhooks.update(context, { webhook_id, enabled: true });
    expect(await summary()).toMatchObject({ count: 3, healthyCount: 3, disabledCount: 0, disabledByGatewayCount: 0 });
  });

  it('is listed page by page, in one order for several states', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 6; n += 1) {
      const created_at = gateway.clock.now.getTime() + Math.floor(n / 2);
      ids.push(await gateway.webhook(receiver.address, { enabled: n % 2, created_at }));
    }
    const whole = await list(null);
    expect(whole.totalCount).toBe(6);
    for (const [health, size] of [
      [['HEALTHY', 'DISABLED_BY_CALLER'], 6],
      [['HEALTHY'], 3],
    ] as const) {
      const fitting = whole.nodes.filter((node: { health: { state: string } }) =>
        (health as readonly string[]).includes(node.health.state),
      );
      expect(fitting).toHaveLength(size);
      for (const first of [1, 2, 5]) {
        const seen: unknown[] = [];
        for (let after: string | null = null, more = true; more; ) {
          const { webhooks }: { webhooks: Awaited<ReturnType<typeof list>> } = await ask(listDocument, {
            ...{ health, first, after },
          });
          seen.push(...webhooks.nodes);
          [after, more] = [webhooks.pageInfo.endCursor, webhooks.pageInfo.hasNextPage];
        }
        expect(seen).toEqual(fitting);
      }
    }
  });

  it('is shown to whoever may manage the webhook, and figures of all to whoever may manage all', async () => {
    const other = await gateway.space.account();
    const own = await gateway.webhook(receiver.address, { account_ids: JSON.stringify([gateway.accountId]) });
    await gateway.webhook(receiver.address, { account_ids: JSON.stringify([gateway.accountId, other]) });
    await gateway.webhook(receiver.address);
    await gateway.webhook(receiver.address, { account_ids: JSON.stringify([other]) });
    await gateway.emit(1);
    await gateway.pass(0);
    const limited = await gateway.space.newKey({ accountIds: [gateway.accountId] });
    expect((await list(null, limited)).totalCount).toBe(3);
    expect(await list(['HEALTHY', 'FAILING'], limited)).toMatchObject({ totalCount: 1, nodes: [{ webhookId: own }] });
    expect(await list(['FAILING'], limited)).toMatchObject({ totalCount: 0, nodes: [] });
    expect(await summary(limited)).toBeNull();

    // Where all keys share a workspace, there is no other.
    if (!dialect.isFronting) {
      const stranger = await gateway.workspace();
      expect(await list(['HEALTHY'], stranger.key)).toMatchObject({ totalCount: 0, nodes: [] });
      expect(await summary(stranger.key)).toMatchObject({
        ...{ count: 0, healthyCount: 0 },
        statistics: { total: { count: 0, successRate: null } },
        backlog: { pendingCount: 0, heldCount: 0, oldestPendingAt: null },
      });
    }
    const writer = await gateway.space.newKey({ scopes: ['webhooks:write'] });
    const { data, errors } = await graphql(gateway.address, writer, summaryDocument);
    expect(data.viewer.workspace.webhookSummary).toBeNull();
    expect(errors).toMatchObject([
      { path: ['viewer', 'workspace', 'webhookSummary'], extensions: { code: 'INSUFFICIENT_PRIVILEGES' } },
    ]);
  });

  it('is counted as a recount counts it, whatever happens', async () => {
    const random = seededRandom(7);
    const { database, ports } = gateway.app;
    const context = requestContext(gateway.space.workspaceId);
    const ids: string[] = [];
    let step = 0;
    const aWebhook = () => random.pick(ids);
    const commands: (() => Promise<unknown>)[] = [
      async () => ids.push(await gateway.webhook(receiver.address, { enabled: random.chance(0.7) ? 1 : 0 })),
      () => ports.webhooks.update(context, { webhook_id: aWebhook(), enabled: random.chance(0.6) }),
      async () => {
        answer(random.pick([200, 500, 500, 500, 410]));
        await gateway.emit(step);
        await gateway.pass(random.pick([0, 60_000, 3_600_000]));
      },
      async () => {
        const [webhook_id] = ids.splice(random.int(ids.length), 1);
        if (webhook_id !== undefined && random.chance(0.3)) await ports.webhooks.delete(context, { id: webhook_id });
      },
      () => ports.webhooks.update(context, { webhook_id: aWebhook(), name: 'other' }),
    ];
    await commands[0]?.();
    const seen = new Set<string>();
    for (; step < 60; step += 1) {
      if (ids.length < 3) await commands[0]?.();
      await random.pick(commands)();
      const { rows } = await sql<{ state: string; size: number }>`
        select case when enabled = 1 then case when failing = 1 then 'failing' else 'healthy' end
          when disabled_reason in ('gone', 'failing') then 'disabled_by_gateway' else 'disabled_by_caller' end as state,
          count(*) as size
        from webhooks join webhook_destinations on webhook_id = id
        where workspace_id = ${gateway.space.workspaceId} group by 1`.execute(database);
      const recount = { healthy: 0, failing: 0, disabled_by_gateway: 0, disabled_by_caller: 0 };
      for (const { state, size } of rows) Object.assign(recount, { [state]: Number(size) });
      for (const { state } of rows) seen.add(state);
      expect((await ports.deliveries.summary(context, { period: 'day' }))?.counts).toEqual(recount);
      for (const health of Object.keys(recount) as WebhookHealthState[]) {
        const [size] = await ports.webhooks.counts(context, [{ health_states: [health] }]);
        expect(size).toEqual({ count: recount[health], isExact: true });
      }
    }
    expect([...seen].sort()).toEqual(['disabled_by_caller', 'disabled_by_gateway', 'failing', 'healthy']);
  });

  it('attempts to all webhooks are the sum of those to each', async () => {
    const webhookIds = [];
    for (let n = 0; n < 3; n += 1) webhookIds.push(await gateway.webhook(receiver.address));
    // Of a workspace that no key reaches, where all keys share one.
    const another = { id: 'another', name: 'another', created_at: 0 };
    await gateway.app.database.insertInto('workspaces').values(another).execute();
    await gateway.webhook(receiver.address, { workspace_id: another.id });
    for (let n = 0; n < 6; n += 1) {
      answer(n % 3 === 0 ? 500 : 200);
      await gateway.emit(n);
      await gateway.pass(3_600_000);
    }
    const context = requestContext(gateway.space.workspaceId);
    const { deliveries } = gateway.app.ports;
    for (const period of ['hour', 'day', 'week', 'month'] as const) {
      const each = await deliveries.statistics(context, { webhook_ids: webhookIds, period });
      const sums = each.map((statistics) => statistics?.total ?? { count: 0, succeeded_count: 0 });
      const sum = (field: 'count' | 'succeeded_count') => sums.reduce((total, one) => total + one[field], 0);
      const whole = await deliveries.summary(context, { period });
      expect(whole?.statistics.total).toMatchObject({
        ...{ count: sum('count'), succeeded_count: sum('succeeded_count') },
      });
      expect(whole?.statistics.spans.map(({ count }) => count)).toEqual(
        whole?.statistics.spans.map((_, place) =>
          each.reduce((total, one) => total + (one?.spans[place]?.count ?? 0), 0),
        ),
      );
    }
    expect((await summary(undefined, 'MONTH')).statistics.total.count).toBeGreaterThan(18);
    // What was attempted stays attempted.
    const before = await summary();
    await gateway.app.ports.webhooks.delete(context, { id: webhookIds[0] ?? '' });
    expect(await summary()).toMatchObject({ count: 2, statistics: before.statistics });
  });
});

describe('the ends of attempts', () => {
  const decision = { gone: false, overloaded: false, pauseMs: 0 };
  const failed: RetryDecision = { ...decision, outcome: 'retry', delayMs: 0 };
  const succeeded: RetryDecision = { ...decision, outcome: 'succeeded' };
  const gone: RetryDecision = { ...decision, outcome: 'failed', gone: true };
  const now = 10 * day;
  const none: StoredRun = { failing_since: null, failed_attempts: 0, failing: 0 };
  const run = (failed_attempts: number, failing: number, age = failingFrom.ms): StoredRun => ({
    ...{ failing_since: now - age, failed_attempts, failing },
  });

  test.each<[string, StoredRun, RetryDecision[], StoredRun, DisabledReason | null]>([
    ['a failure begins a run', none, [failed], run(1, 0, 0), null],
    ['two failures are not enough, after whatever time', run(1, 0, day), [failed], run(2, 0, day), null],
    ['three are not enough in no time', run(2, 0, failingFrom.ms - 1), [failed], run(3, 0, failingFrom.ms - 1), null],
    ['three over some time are', run(2, 0), [failed], run(3, 1), null],
    ['a success ends the run', run(9, 1), [failed, succeeded], none, null],
    ['a failure after a success begins another', run(9, 1), [failed, succeeded, failed], run(1, 0, 0), null],
    ['five days disable', run(9, 1, failingLimit), [failed], run(10, 1, failingLimit), 'failing'],
    ['a success in five days does not', run(9, 1, failingLimit), [succeeded, failed], run(1, 0, 0), null],
    ['410 disables at once', none, [gone, succeeded], run(0, 0, 0), 'gone'],
  ])('%s', (_what, stored, decisions, changes, disabled) => {
    const judged = judge(stored, decisions, now);
    expect(judged.disabled).toBe(disabled);
    expect(judged.changes).toMatchObject(changes);
  });
});
