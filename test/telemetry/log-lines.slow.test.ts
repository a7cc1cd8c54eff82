/** The lines of the log beside those of requests: deliveries that fail, webhooks that are disabled, circuits. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { databases } from '../support/databases.ts';
import { type DeliveringGateway, startDelivering } from '../support/deliveries.ts';
import { graphql } from '../support/gateway.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { json, postList, proxyTo, startStub } from '../support/stub.ts';

describe.each(databases.slice(0, 1))('on $name', (dialect) => {
  let gateway: DeliveringGateway;
  let receiver: Receiver;
  const lines = (msg: string) => gateway.log.filter((line) => line.msg === msg);

  beforeEach(async () => {
    receiver = await startReceiver();
    gateway = await startDelivering({ dialect });
  });
  afterEach(async () => {
    await gateway.close();
    await receiver.close();
  });

  test('a delivery that has failed and the webhook that is disabled have a line each', async () => {
    receiver.answer = (_request, response) => response.writeHead(410).end();
    const webhookId = await gateway.webhook(receiver.address);
    const { deliveries } = await gateway.emit('a');
    await gateway.delivery.worker.idle();
    expect(lines('delivery failed')).toMatchObject([
      { level: 40, deliveryId: deliveries[0], webhookId, attempts: 1, status: 410, failure: null },
    ]);
    await expect
      .poll(() => lines('webhook disabled'))
      .toMatchObject([{ level: 40, webhookId, reason: 'gone', notified: 0 }]);
  });

  test('an attempt that is repeated says why it failed, once a minute for each webhook', async () => {
    receiver.answer = (_request, response) => response.writeHead(500).end();
    const webhookId = await gateway.webhook(receiver.address);
    const { deliveries } = await gateway.emit('a');
    await gateway.delivery.worker.idle();
    await gateway.emit('b');
    await gateway.delivery.worker.idle();
    expect(receiver.received).toHaveLength(2);
    expect(lines('attempt failed, and is repeated')).toMatchObject([
      { level: 30, deliveryId: deliveries[0], webhookId, attempts: 1, status: 500, failure: null },
    ]);
    expect(lines('delivery failed')).toEqual([]);
  });

  test('a hundred that fail have sixty lines in a minute; the next says how many were left out', async () => {
    receiver.answer = (_request, response) => response.writeHead(410).end();
    for (let n = 0; n < 100; n += 1) await gateway.webhook(`${receiver.address}/${n}`);
    await gateway.emit('a');
    await gateway.delivery.worker.idle();
    expect(lines('delivery failed')).toHaveLength(60);
    await expect.poll(() => lines('webhook disabled').length).toBe(60);
    await gateway.webhook(`${receiver.address}/more`);
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 60_000);
    await gateway.emit('b');
    await gateway.delivery.worker.idle();
    expect(lines('delivery failed').at(-1)).toMatchObject({ leftOut: 40 });
  });

  test('the line of a request has the ids of the events that it emitted, by every command', async () => {
    const { address, space, accountId } = gateway;
    const webhookId = await gateway.webhook(receiver.address);
    const context = { name: 'Buy', context: 'CHAT' };
    const trigger = await gateway.webhook(receiver.address, {
      type: 'TRIGGER',
      source: null,
      trigger: JSON.stringify(context),
    });
    const inputs = {
      emitEvent: `accountId: "${accountId}", event: NEW_RELATION`,
      sendTestEvent: `webhookId: "${webhookId}"`,
      fireTriggerWebhook: `webhookId: "${trigger}", accountId: "${accountId}", chatId: "c"`,
    };
    for (const [name, input] of Object.entries(inputs)) {
      await graphql(address, space.key, `mutation { ${name}(input: { ${input} }) { __typename } }`);
    }
    const { emitEvent: input } = inputs;
    const many = [...Array(12).keys()].map((n) => `e${n}: emitEvent(input: { ${input} }) { __typename }`);
    await graphql(address, space.key, `mutation { ${many.slice(0, 2).join(' ')} }`);
    await graphql(address, space.key, `mutation { ${many.join(' ')} }`);
    const ids = lines('request').map(({ eventId }) => String(eventId).split(' '));
    expect(ids.map(({ length }) => length)).toEqual([1, 1, 1, 2, 10]);
    const stored = await gateway.app.database.selectFrom('events').select('id').execute();
    expect(stored).toHaveLength(17);
    const known = new Set(stored.map(({ id }) => id));
    expect(ids.flat().filter((id) => !known.has(id))).toEqual([]);
  });

  test('the line of a request has its key, its operation and its errors', async () => {
    const { address, space, accountId } = gateway;
    await graphql(
      address,
      space.key,
      `query Mine { posts(accountId: "${accountId}", identifier: "") { nodes { id } } }`,
    );
    const [request] = lines('request');
    expect(request).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      operation: 'Mine',
      operationType: 'query',
      operationHash: expect.stringMatching(/^[0-9a-f]{16}$/),
      cost: expect.any(Number),
      workspaceId: space.workspaceId,
      keyId: expect.any(String),
      errors: [expect.stringMatching(/^errors\//)],
    });
    expect(request).not.toHaveProperty('traceId');
  });
});

test('a circuit that opens and closes has a line each time', async () => {
  let fails = true;
  const stub = await startStub((_request, response) =>
    fails ? json(response, 500, 'The page of a proxy') : json(response, 200, postList([])),
  );
  const gateway = await proxyTo(stub);
  const list = () => gateway.ask('{ posts(accountId: "a", identifier: "i", first: 1) { nodes { __typename } } }');
  for (let n = 0; n < 30; n += 1) await list();
  const opened = gateway.log.filter(({ msg }) => msg === 'upstream circuit opened');
  expect(opened).toMatchObject([{ level: 40, capability: 'posts', accountId: 'a' }]);
  fails = false;
  gateway.clock.now = new Date(gateway.clock.now.getTime() + 2_000);
  await list();
  expect(gateway.log.filter(({ msg }) => msg === 'upstream circuit closed')).toMatchObject([
    { level: 30, keyId: opened[0]?.keyId },
  ]);
});
