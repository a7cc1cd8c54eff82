/** Deliveries of the demo workspace: the receiver of the sandbox takes, retries and refuses them, and the first week is there. */
import { readFile, rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/app/config/config.ts';
import { demoId } from '../../src/app/demo.ts';
import { retryDelays } from '../../src/delivery/retry-policy.ts';
import type { Outbound, OutboundPost } from '../../src/net/outbound.ts';
import { databases } from '../support/databases.ts';
import { type DeliveringGateway, startDelivering } from '../support/deliveries.ts';
import { graphql } from '../support/gateway.ts';

const second = 1_000;
const hour = 3_600 * second;
const receivers = ['ok', 'flaky', 'failing'] as const;
const webhookIdOf = (path: string) => demoId(`hook-receiver-${path}`);

describe.each(databases)('the demo on $name', (dialect) => {
  let gateway: DeliveringGateway;
  let key: string;
  let posted: OutboundPost[];
  /** Milliseconds that have passed for every clock: one that jumps ahead disables nothing. */
  let passed = 0;
  const network: Outbound = {
    async post(request) {
      posted.push(request);
      return { status: null, failure: 'name_not_found', retryAfter: null, headers: {}, body: Buffer.alloc(0) };
    },
    async close() {},
  };
  const start = async (demo: 'on' | 'off') => {
    posted = [];
    passed = 0;
    const clock = () => performance.now() + passed;
    gateway = await startDelivering({ dialect, delivery: { outbound: network, clock }, environment: { DEMO: demo } });
    if (demo === 'off') return;
    const file = readConfig({ DATABASE_URL: gateway.databaseUrl }).demoKeyFile;
    key = (await readFile(file, 'utf8')).trim();
    // With Postgres it is in the folder of the project.
    await rm(file);
  };
  beforeEach(() => start('on'));
  afterEach(() => gateway.close());

  /** The deliveries of an event by the paths of their receivers. */
  async function deliveriesOf(eventId: string) {
    const rows = (await gateway.deliveries()).filter(({ event_id }) => event_id === eventId);
    const of = (path: string) => rows.find(({ webhook_id }) => webhook_id === webhookIdOf(path));
    return Object.fromEntries(receivers.map((path) => [path, `${of(path)?.state} ${of(path)?.attempts}`]));
  }

  it('a message is received, retried, and refused, and no network is reached', async () => {
    const { data } = await graphql(
      gateway.address,
      key,
      `mutation { emitEvent(input: { accountId: "${demoId('pnet')}", event: MESSAGE_RECEIVED }) {
        ... on EventEmitted { eventId }
      } }`,
    );
    const { eventId } = data.emitEvent;
    await gateway.pass(0);
    expect(await deliveriesOf(eventId)).toEqual({ ok: 'succeeded 1', flaky: 'pending 1', failing: 'pending 1' });
    const [firstDelay = 0, secondDelay = 0] = retryDelays;
    await gateway.pass(firstDelay * 1.2);
    expect(await deliveriesOf(eventId)).toEqual({ ok: 'succeeded 1', flaky: 'succeeded 2', failing: 'pending 2' });
    await gateway.pass(secondDelay * 1.2);
    expect(await deliveriesOf(eventId)).toMatchObject({ failing: 'pending 3' });
    expect(posted).toEqual([]);
  });

  it('begins with a week, whose figures are those of its attempts', async () => {
    const now = gateway.clock.now.getTime();
    const attempts = await gateway.app.database.selectFrom('delivery_attempts').selectAll().execute();
    expect(attempts.length).toBeGreaterThan(500);
    const oldest = Math.min(...attempts.map(({ started_at }) => started_at));
    expect(now - oldest).toBeGreaterThan(6.5 * 24 * hour);
    expect(now - oldest).toBeLessThanOrEqual(7 * 24 * hour);
    expect(Math.max(...attempts.map(({ started_at }) => started_at))).toBeLessThanOrEqual(now);

    const { data, errors } = await graphql(
      gateway.address,
      key,
      `{
        viewer { workspace { webhookSummary(period: MONTH) { failingCount statistics { total { ...Counts } } backlog { pendingCount } } } }
        webhooks(healthStates: [FAILING]) { nodes { webhookId statistics(period: MONTH) { total { ...Counts } } } }
        succeeded: deliveries(states: [SUCCEEDED], first: 1) { totalCount }
        failed: deliveries(states: [FAILED], first: 1) { totalCount }
        pending: deliveries(states: [PENDING], first: 1) { totalCount }
      }
      fragment Counts on AttemptStatistics { count succeededCount }`,
    );
    expect(errors).toEqual([]);
    const rows = await gateway.deliveries();
    const count = (state: string) => rows.filter((row) => row.state === state).length;
    expect(data.viewer.workspace.webhookSummary).toEqual({
      failingCount: 1,
      statistics: { total: { count: attempts.length, succeededCount: count('succeeded') } },
      backlog: { pendingCount: count('pending') },
    });
    const toFailing = rows.filter(({ webhook_id }) => webhook_id === webhookIdOf('failing'));
    expect(data.webhooks.nodes).toEqual([
      {
        webhookId: webhookIdOf('failing'),
        statistics: {
          total: { count: toFailing.reduce((sum, row) => sum + row.attempts, 0), succeededCount: 0 },
        },
      },
    ]);
    for (const state of ['succeeded', 'failed', 'pending'] as const) {
      expect(count(state), state).toBeGreaterThan(5);
      expect(data[state].totalCount).toBe(count(state));
    }
  });

  it('the engine goes on where the week ends', async () => {
    const pending = async () => (await gateway.deliveries()).filter(({ state }) => state === 'pending');
    const before = await pending();
    passed += 28 * 1.2 * hour;
    await gateway.pass(28 * 1.2 * hour);
    const after = new Map((await gateway.deliveries()).map((row) => [row.id, row]));
    for (const { id, attempts } of before) expect(after.get(id)?.attempts).toBeGreaterThan(attempts);
    expect(posted).toEqual([]);
    // After five days without a success.
    passed += 40 * hour;
    await gateway.pass(40 * hour);
    const { data } = await graphql(
      gateway.address,
      key,
      '{ webhooks(healthStates: [DISABLED_BY_GATEWAY]) { nodes { webhookId } } }',
    );
    expect(data.webhooks.nodes).toEqual([{ webhookId: webhookIdOf('failing') }]);
  });

  it('without the demo the name of the receiver is one of the network', async () => {
    await gateway.close();
    await start('off');
    await gateway.webhook('https://receiver.sandbox.example/ok');
    await gateway.emit(1);
    await gateway.pass(0);
    expect(posted.map(({ url }) => url.hostname)).toEqual(['receiver.sandbox.example']);
    expect(await gateway.deliveries()).toMatchObject([{ state: 'pending', attempts: 1 }]);
  });
});
