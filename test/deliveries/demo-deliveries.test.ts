/** Deliveries of the demo workspace: the receiver of the sandbox takes, retries or refuses them. */
import { readFile, rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/app/config/config.ts';
import { demoId } from '../../src/app/demo.ts';
import { retryDelays } from '../../src/delivery/retry-policy.ts';
import type { Outbound, OutboundPost } from '../../src/net/outbound.ts';
import { databases } from '../support/databases.ts';
import { type DeliveringGateway, startDelivering } from '../support/deliveries.ts';
import { graphql } from '../support/gateway.ts';

const receivers = ['ok', 'flaky', 'failing'] as const;
const webhookIdOf = (path: string) => demoId(`hook-receiver-${path}`);

describe.each(databases)('the demo on $name', (dialect) => {
  let gateway: DeliveringGateway;
  let key: string;
  let posted: OutboundPost[];
  const network: Outbound = {
    async post(request) {
      posted.push(request);
      return { status: null, failure: 'name_not_found', retryAfter: null, headers: {}, body: Buffer.alloc(0) };
    },
    async close() {},
  };
  const start = async (demo: 'on' | 'off') => {
    posted = [];
    gateway = await startDelivering({ dialect, delivery: { outbound: network }, environment: { DEMO: demo } });
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
