/** The engine as a whole: from an event to requests over real HTTP, on every database. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { databases } from '../support/databases.ts';
import { type DeliveringGateway, startDelivering } from '../support/deliveries.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

describe.each(databases)('delivery on $name', (dialect) => {
  let gateway: DeliveringGateway;
  let receiver: Receiver;
  const numbers = (from = receiver) => from.received.map(({ body }) => JSON.parse(body).n);
  const states = async () => (await gateway.deliveries()).map(({ state }) => state);
  const attempts = () => gateway.app.database.selectFrom('delivery_attempts').selectAll().orderBy('number').execute();

  beforeEach(async () => {
    receiver = await startReceiver();
    gateway = await startDelivering({ dialect });
  });
  afterEach(async () => {
    await gateway.close();
    await receiver.close();
  });

  it('delivers an event to every webhook that is subscribed to it, and to no other', async () => {
    const other = await startReceiver();
    await gateway.webhook(`${receiver.address}/all`);
    await gateway.webhook(`${receiver.address}/mine`, { account_ids: JSON.stringify([gateway.accountId]) });
    await gateway.webhook(`${other.address}/account`, { account_ids: JSON.stringify(['x'.repeat(22)]) });
    await gateway.webhook(`${other.address}/source`, { source: 'email', events: '["mail_sent"]' });
    await gateway.webhook(`${other.address}/event`, { events: '[]' });
    const emitted = await gateway.emit('a');
    await gateway.delivery.worker.idle();
    expect(emitted.deliveries).toHaveLength(2);
    expect(receiver.received.map(({ path }) => path).sort()).toEqual(['/all', '/mine']);
    expect(receiver.received[0]).toMatchObject({
      body: '{"event":"new_relation","n":"a"}',
      headers: { 'content-type': 'application/json', 'content-length': '32', 'user-agent': 'Postern' },
    });
    expect(other.received).toEqual([]);
    expect(await states()).toEqual(['succeeded', 'succeeded']);
    expect(await attempts()).toMatchObject([
      { number: 1, status: 200, failure: null },
      { number: 1, status: 200, failure: null },
    ]);
    await other.close();
  });

  it('sends the id of the delivery as webhook-id, the same in every attempt', async () => {
    await gateway.webhook(receiver.address);
    receiver.answer = (_request, response) => response.writeHead(500).end('not now\0');
    await gateway.emit('a');
    await gateway.delivery.worker.idle();
    await gateway.pass(7_000);
    const [delivery] = await gateway.deliveries();
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([delivery?.id, delivery?.id]);
    expect(await attempts()).toMatchObject([
      { number: 1, status: 500, response_body: 'not now\uFFFD' },
      { number: 2, status: 500 },
    ]);
    expect(delivery).toMatchObject({ state: 'pending', attempts: 2, claim_token: null });
  });

  it('stores an event that is emitted twice under one idempotency key once', async () => {
    await gateway.webhook(receiver.address);
    const [first, ...others] = await Promise.all([1, 2, 3].map(() => gateway.emit('a', 'key')));
    expect(others.map(({ eventId }) => eventId)).toEqual([first?.eventId, first?.eventId]);
    expect([first, ...others].filter((emitted) => emitted?.repeated)).toHaveLength(2);
    await expect(gateway.emit('b', 'key')).rejects.toMatchObject({ errorName: 'invalid_parameters' });
    await gateway.delivery.worker.idle();
    expect(numbers()).toEqual(['a']);
  });

  it.each(['another account', null])(
    'keeps idempotency keys apart: those of an account, and those of %s',
    async (who) => {
      await gateway.webhook(receiver.address);
      const accountId = who === null ? null : await gateway.space.account();
      const emit = (n: string) =>
        gateway.delivery.emit({
          workspaceId: gateway.space.workspaceId,
          accountId,
          accountType: 'PNET',
          source: 'users',
          event: 'new_relation',
          data: { user_full_name: n },
          idempotencyKey: 'key',
        });
      const first = await gateway.emit('a', 'key');
      const other = await emit('b');
      expect(other).toMatchObject({ repeated: false });
      expect(await emit('b')).toMatchObject({ repeated: true, eventId: other.eventId, deliveries: other.deliveries });
      expect(await gateway.emit('a', 'key')).toMatchObject({ repeated: true, eventId: first.eventId });
      await expect(emit('c')).rejects.toMatchObject({ errorName: 'invalid_parameters' });
      await gateway.delivery.worker.idle();
      expect(numbers().sort()).toEqual(['a', 'b']);
    },
  );

  it('ignores the outcome of a worker whose claim has passed to another', async () => {
    await gateway.webhook(receiver.address);
    let answer = () => {};
    receiver.answer = (_request, response) => {
      answer = () => void response.writeHead(500).end();
    };
    await gateway.emit('a');
    await receiver.waitFor(1);
    // Another worker has claimed it in the meantime, and delivered it.
    await gateway.app.database.updateTable('deliveries').set({ claim_token: 'another', state: 'succeeded' }).execute();
    answer();
    await gateway.delivery.worker.idle();
    expect(await gateway.deliveries()).toMatchObject([{ claim_token: 'another', state: 'succeeded', attempts: 0 }]);
    expect(await attempts()).toEqual([]);
  });

  it('neither loses nor repeats a delivery when the clock jumps an hour back and forth', async () => {
    await gateway.webhook(receiver.address);
    const hour = 3_600_000;
    const answers: (() => void)[] = [];
    // Who has not answered yet gets one request at a time.
    await gateway.emit('first');
    await gateway.pass(0);
    receiver.answer = (_request, response) => void answers.push(() => response.end());
    await gateway.emit('a');
    await receiver.waitFor(2);
    // Its lease is over by the clock, while it is on its way: the claim is taken anew, and nothing sent twice.
    gateway.clock.now = new Date(gateway.clock.now.getTime() + hour);
    await gateway.emit('b');
    await receiver.waitFor(3);
    gateway.clock.now = new Date(gateway.clock.now.getTime() - 2 * hour);
    await gateway.emit('c');
    await receiver.waitFor(4);
    for (const answer of answers) answer();
    receiver.answer = (_request, response) => void response.end();
    await gateway.emit('d');
    await gateway.pass(0);
    await gateway.pass(3 * hour);
    expect(numbers().sort()).toEqual(['a', 'b', 'c', 'd', 'first']);
    expect(await states()).toEqual(Array(5).fill('succeeded'));
  });
});
