/** Statistics and backlogs of webhooks: what they count, whom they are shown to, and how long they are kept. */
import type { KyselyPlugin } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deleteOldStatistics, durationBounds } from '../../src/capabilities/deliveries/attempt-counts.ts';
import { durationAt, webhookStatistics } from '../../src/capabilities/deliveries/statistics.ts';
import { settleAndClaim } from '../../src/delivery/queue-transaction.ts';
import { settlementOf } from '../../src/delivery/settle.ts';
import { statisticsPeriods } from '../../src/kernel/periods.ts';
import { type DeliveringGateway, deliverySetUps, startDelivering } from '../support/deliveries.ts';
import { graphql } from '../support/gateway.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { requestContext } from '../support/request-context.ts';

const hour = 3_600_000;

const query = /* GraphQL */ `
  query Statistics($webhookId: ID!, $period: StatisticsPeriod! = DAY) {
    webhook(webhookId: $webhookId) {
      statistics(period: $period) {
        total { startsAt endsAt count succeededCount successRate medianDurationMs p95DurationMs }
        spans { startsAt endsAt count succeededCount successRate medianDurationMs }
      }
      backlog { pendingCount heldCount oldestPendingAt }
    }
  }
`;

describe.each(deliverySetUps)('on $name', (dialect) => {
  let gateway: DeliveringGateway;
  let receiver: Receiver;
  let webhookId: string;

  beforeEach(async () => {
    [gateway, receiver] = await Promise.all([startDelivering({ dialect }), startReceiver()]);
    webhookId = await gateway.webhook(receiver.address, { account_ids: JSON.stringify([gateway.accountId]) });
  });
  afterEach(() => Promise.all([gateway.close(), receiver.close()]));

  const read = async (period = 'DAY', key = gateway.space.key) => {
    const { data, errors } = await graphql(gateway.address, key, query, { webhookId, period });
    expect(errors).toEqual([]);
    return data.webhook;
  };
  const fails = () => {
    receiver.answer = (_request, response) => void response.writeHead(500).end();
  };
  const works = () => {
    receiver.answer = (_request, response) => void response.end();
  };

  it('counts every attempt in its span, in every period', async () => {
    fails();
    await gateway.emit(1);
    await gateway.pass(0);
    works();
    await gateway.emit(2);
    await gateway.pass(0);
    await gateway.pass(2 * hour);
    await expect.poll(() => receiver.received.length).toBe(3);
    await gateway.pass(0);
    for (const [period, spans] of [
      ['DAY', 24],
      ['WEEK', 28],
      ['MONTH', 30],
    ] as const) {
      const { statistics } = await read(period);
      expect(statistics.total).toMatchObject({ count: 3, succeededCount: 2, successRate: 2 / 3 });
      expect(statistics.total.medianDurationMs).toBeGreaterThan(0);
      expect(statistics.spans).toHaveLength(spans);
      expect(statistics.total.startsAt).toBe(statistics.spans[0].startsAt);
      expect(statistics.total.endsAt).toBe(statistics.spans.at(-1).endsAt);
      expect(Date.parse(statistics.total.endsAt)).toBeGreaterThan(gateway.clock.now.getTime());
    }
    const { statistics: day } = await read('DAY');
    const counted = day.spans.filter(({ count }: { count: number }) => count > 0);
    const rates = counted.map(({ successRate }: { successRate: number }) => successRate);
    expect(rates).toEqual([0.5, 1]);
    // The first attempts are two hours old.
    const { statistics: last } = await read('HOUR');
    expect(last.total).toMatchObject({ count: 1, successRate: 1 });
  });

  it('has no rate and no durations where there were no attempts', async () => {
    const { statistics, backlog } = await read();
    const none = { count: 0, succeededCount: 0, successRate: null, medianDurationMs: null };
    expect(statistics.total).toMatchObject({ ...none, p95DurationMs: null });
    expect(statistics.spans[0]).toMatchObject(none);
    expect(backlog).toEqual({ pendingCount: 0, heldCount: 0, oldestPendingAt: null });
  });

  it('counts pending and held deliveries, and says since when the oldest waits', async () => {
    fails();
    const since = gateway.clock.now.toISOString();
    await gateway.emit(1);
    await gateway.pass(1_000);
    await gateway.emit(2);
    await gateway.pass(0);
    expect((await read()).backlog).toEqual({ pendingCount: 2, heldCount: 0, oldestPendingAt: since });
    await gateway.app.database.updateTable('deliveries').set({ state: 'held' }).execute();
    expect((await read()).backlog).toEqual({ pendingCount: 0, heldCount: 2, oldestPendingAt: null });
  });

  it('shows them to keys that may manage the webhook, and starts again from zero when it is narrowed', async () => {
    const other = await gateway.space.account();
    const { database } = gateway.app;
    await database
      .updateTable('webhooks')
      .set({ account_ids: JSON.stringify([gateway.accountId, other]) })
      .execute();
    await gateway.emit(1);
    await gateway.pass(0);
    const limited = await gateway.space.newKey({ accountIds: [gateway.accountId] });
    expect(await read('DAY', limited)).toEqual({ statistics: null, backlog: null });
    expect((await read()).statistics.total.count).toBe(1);

    const update = /* GraphQL */ `
      mutation Narrow($accountIds: [ID!]!, $webhookId: ID!) {
        updateWebhook(input: { webhookId: $webhookId, accountIds: $accountIds }) { __typename }
      }
    `;
    await graphql(gateway.address, gateway.space.key, update, { webhookId, accountIds: [gateway.accountId] });
    expect((await read('DAY', limited)).statistics.total.count).toBe(0);
    await gateway.emit(2);
    await gateway.pass(0);
    expect((await read('DAY', limited)).statistics.total.count).toBe(1);
    // Another account more is no reason to forget.
    await graphql(gateway.address, gateway.space.key, update, { webhookId, accountIds: [other, gateway.accountId] });
    expect((await read()).statistics.total.count).toBe(1);
  });

  it('are of the workspace still when an attempt ends while its webhook is being deleted', async () => {
    await gateway.emit(1);
    await gateway.pass(0);
    const { database } = gateway.app;
    const now = gateway.clock.now.getTime();
    const [{ id: deliveryId } = { id: '' }] = await gateway.deliveries();
    const claimToken = 'test----.claim';
    const attempt = { delivery_id: deliveryId, number: 2, started_at: now, duration_ms: 1, status: 200, failure: null };
    const outcome = {
      ...{
        deliveryId,
        webhookId,
        claimToken,
        wasFailing: false,
        attempt: { ...attempt, response_body: '', response_headers: null },
      },
      decision: { outcome: 'succeeded', gone: false, overloaded: false, pauseMs: 0 } as const,
    };
    await database.transaction().execute(async (open) => {
      await open
        .updateTable('deliveries')
        .set({ state: 'pending', claim_token: claimToken, next_at: now + hour })
        .execute();
      await open
        .insertInto('workspaces')
        .values({ id: 'removed-webhooks', name: 'Webhooks that are being deleted', created_at: 0 })
        .execute();
      await open.updateTable('webhooks').set({ workspace_id: 'removed-webhooks' }).execute();
      await settleAndClaim(open, {
        ...{ settlement: settlementOf([outcome], now), releases: [], quota: null, claimToken, leaseMs: hour },
        ...{ latestFirst: false, now },
      });
    });
    const { data } = await graphql(
      gateway.address,
      gateway.space.key,
      '{ viewer { workspace { webhookSummary { statistics { total { count } } } } } }',
    );
    expect(data.viewer.workspace.webhookSummary.statistics.total.count).toBe(2);
    const counted = await database.selectFrom('workspace_statistics').select('workspace_id').distinct().execute();
    expect(counted).toEqual([{ workspace_id: gateway.space.workspaceId }]);
  });

  it('read a row for each span, however different the durations in it were', async () => {
    const { database } = gateway.app;
    const spanMs = 24 * hour;
    const today = gateway.clock.now.getTime() - (gateway.clock.now.getTime() % spanMs);
    const counted = [today, today - spanMs].flatMap((starts_at) =>
      durationBounds.flatMap((within_ms) =>
        [0, 1].map((succeeded) => ({
          webhook_id: webhookId,
          span_ms: spanMs,
          starts_at,
          succeeded,
          within_ms,
          attempts: 2,
        })),
      ),
    );
    await database.insertInto('webhook_statistics').values(counted).execute();
    let rows = 0;
    const counting: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        rows += result.rows.length;
        return result;
      },
    };
    const statistics = webhookStatistics({
      database: database.withPlugin(counting),
      now: () => gateway.clock.now,
    });
    const context = requestContext(gateway.space.workspaceId);
    const [read] = await statistics(context, { webhook_ids: [webhookId], period: 'month' });
    expect(read?.total).toMatchObject({ count: 88, succeeded_count: 44, median_duration_ms: 350 });
    expect(read?.spans.at(-1)).toMatchObject({ count: 44, succeeded_count: 22 });
    // One of the webhook, and one of each span.
    expect(rows).toBe(3);
  });

  it('are deleted when their period is over, and with their webhook', async () => {
    await gateway.emit(1);
    await gateway.pass(0);
    const { database } = gateway.app;
    const spans = async () =>
      (await database.selectFrom('webhook_statistics').select('span_ms').orderBy('span_ms').execute()).map(
        ({ span_ms }) => span_ms / hour,
      );
    expect(await spans()).toEqual([1 / 12, 1, 6, 24]);
    const now = gateway.clock.now.getTime();
    await deleteOldStatistics(database, now + 25 * hour);
    expect(await spans()).toEqual([6, 24]);
    await deleteOldStatistics(database, now + 8 * 24 * hour);
    expect(await spans()).toEqual([24]);
    await database.deleteFrom('webhooks').execute();
    expect(await spans()).toEqual([]);
  });
});

describe('an estimated duration', () => {
  it.each([
    [[[10, 100]], 0.5, 5],
    [
      [
        [10, 50],
        [100, 50],
      ],
      0.5,
      10,
    ],
    [
      [
        [10, 90],
        [1000, 10],
      ],
      0.95,
      750,
    ],
    [[[15_000, 1]], 0.95, 14_750],
    [[], 0.5, null],
  ] as const)('of %j at %d is %d', (classes, quantile, expected) => {
    const counts = new Map<number, number>(classes);
    expect(
      durationAt(
        durationBounds.map((bound) => counts.get(bound) ?? 0),
        quantile,
      ),
    ).toBe(expected);
  });
});

it('spans of a period consist of whole spans of the one before', () => {
  const spans = Object.values(statisticsPeriods).map(({ spanMs }) => spanMs);
  expect(spans.slice(1).map((span, place) => span % (spans[place] ?? 0))).toEqual([0, 0, 0]);
});
