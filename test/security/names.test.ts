/** A name is judged in one way, when a webhook gets it and at each delivery: by those of its addresses that are allowed. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addressRule, isRefusedTarget, readBlocks } from '../../src/net/addresses.ts';
import { createOutbound } from '../../src/net/outbound.ts';
import { databases } from '../support/databases.ts';
import { startDeliveriesOverGraphQL } from '../support/deliveries-graphql.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

/** The receiver listens on 127.0.0.1, and something else on 127.0.0.2. */
const names: readonly [allowed: string, addresses: readonly string[], outcome: 'reached' | 'refused'][] = [
  ['127.0.0.0/8', ['127.0.0.1'], 'reached'],
  ['127.0.0.0/8', ['127.0.0.1', '::1'], 'reached'],
  ['127.0.0.0/8', ['::1', '127.0.0.1'], 'reached'],
  ['127.0.0.0/8', ['10.0.0.1', '127.0.0.1', '169.254.169.254'], 'reached'],
  ['127.0.0.1', ['127.0.0.2', '127.0.0.1'], 'reached'],
  ['127.0.0.0/8', ['::ffff:127.0.0.1'], 'reached'],
  ['::ffff:127.0.0.0/104', ['127.0.0.1'], 'reached'],
  ['127.0.0.0/8, ::1', ['::1', '127.0.0.1'], 'reached'],
  ['127.0.0.0/8', ['::1'], 'refused'],
  ['::1', ['127.0.0.1'], 'refused'],
  ['', ['127.0.0.1', '::1'], 'refused'],
  ['', ['::ffff:127.0.0.1'], 'refused'],
  ['', ['64:ff9b::7f00:1', '2002:7f00:1::1'], 'refused'],
  ['', [], 'refused'],
];

describe('a name', () => {
  let receiver: Receiver;
  let other: Server;
  beforeEach(async () => {
    receiver = await startReceiver();
    other = createServer().listen(receiver.port, '127.0.0.2');
    await once(other, 'listening');
  });
  afterEach(async () => {
    other.close();
    await receiver.close();
  });

  test.each(names)('with OUTBOUND_ALLOW=%s and the addresses %j is %s, at creation and delivery', async (...row) => {
    const [allowed, texts, outcome] = row;
    const allows = addressRule(readBlocks(allowed));
    const addresses = texts.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    const url = new URL(`http://name.example:${receiver.port}/`);
    const outbound = createOutbound({ allows, lookup: async () => addresses, connectTimeoutMs: 2_000 });
    const { status, failure } = await outbound.post({ url, headers: [], body: Buffer.from('x'), deadlineMs: 2_000 });
    await outbound.close();
    const expected = outcome === 'reached' ? [200, null] : [null, 'address_refused'];
    expect([status, failure]).toEqual(expected);
    expect(isRefusedTarget(url, allows, () => addresses)).toBe(outcome === 'refused');
  });
});

test.each(databases.slice(0, 1))('localhost, allowed as documented, gets its deliveries on $name', async (dialect) => {
  const { gateway, receiver, act, createWebhook } = await startDeliveriesOverGraphQL(dialect);
  const webhookId = await createWebhook({ requestUrl: receiver.address.replace('127.0.0.1', 'sub.localhost') });
  await act('sendTestEvent', { webhookId });
  await gateway.delivery.worker.idle();
  expect(receiver.received).toHaveLength(1);
});

/** What an address leads to decides, in whatever form it comes. */
const judged: readonly [address: string, allowed: string, isAllowed: boolean][] = [
  ['::ffff:8.8.8.8', '', true],
  ['::ffff:10.0.0.1', '', false],
  ['::ffff:10.0.0.1', '10.0.0.0/8', true],
  ['64:ff9b::8.8.8.8', '', true],
  ['64:ff9b::808:808', '', true],
  ['64:ff9b::10.0.0.1', '', false],
  ['64:ff9b::10.0.0.1', '10.0.0.0/8', true],
  ['64:ff9b::169.254.169.254', '64:ff9b::/96', false],
  ['64:ff9b::168.63.129.16', '', false],
  ['64:ff9b:1::8.8.8.8', '', false],
  ['64:ff9b:1::8.8.8.8', '64:ff9b:1::/48', true],
  ['2002:808:808::1', '', true],
  ['2002:a00:1::1', '', false],
  ['2002:a00:1::1', '10.0.0.0/8', true],
  ['2002:a9fe:a9fe::', '2002::/16', false],
  ['::808:808', '', false],
  ['10.0.0.1', '64:ff9b::a00:0/104', true],
  ['::ffff:0:8.8.8.8', '', false],
  ['2001:0:4136:e378:8000:63bf:3fff:fdd2', '', false],
  ['2606:4700:4700::1111', '', true],
];

test.each(judged)('%s with OUTBOUND_ALLOW=%s: %s', (address, allowed, isAllowed) => {
  expect(addressRule(readBlocks(allowed))(address)).toBe(isAllowed);
});
