/** Settling and claiming in one transaction, on every database. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Room } from '../../src/delivery/claim-quota.ts';
import { type QueueOrder, type QueueReport, settleAndClaim } from '../../src/delivery/queue-transaction.ts';
import { quotaFor, roomFor as room } from '../support/claim-room.ts';
import { databases } from '../support/databases.ts';
import { type DeliveringGateway, startDelivering } from '../support/deliveries.ts';
import { requestContext } from '../support/request-context.ts';

it.each(databases)('the first transaction claims the delivery of a new webhook, on $name', async (dialect) => {
  // A worker without slots claims nothing itself.
  const gateway = await startDelivering({ dialect, delivery: { limits: { slots: 0 } } });
  const { webhook_id } = await gateway.app.ports.webhooks.create(requestContext(gateway.space.workspaceId), {
    request_url: 'https://hooks.example/',
    source: 'users',
  });
  const [deliveryId] = (await gateway.emit('a')).deliveries;
  const order: QueueOrder = {
    settlement: null,
    releases: [],
    quota: quotaFor(10, 1_000),
    claimToken: 'token',
    leaseMs: 45_000,
    latestFirst: false,
    now: gateway.clock.now.getTime(),
  };
  const run = () => gateway.app.database.transaction().execute((transaction) => settleAndClaim(transaction, order));
  const { claimed } = await run();
  expect(claimed).toMatchObject([{ webhook: { id: webhook_id }, deliveries: [{ deliveryId, number: 1, attempt: 1 }] }]);
  expect(await gateway.deliveries()).toMatchObject([{ claim_token: 'token', next_at: order.now + 45_000 }]);
  expect((await run()).claimed).toEqual([]);
  await gateway.close();
});

describe.each(databases)('claims on $name', (dialect) => {
  let gateway: DeliveringGateway;
  const run = (bytes: Room, quota = quotaFor(100)) =>
    gateway.app.database.transaction().execute((transaction) =>
      settleAndClaim(transaction, {
        settlement: null,
        releases: [],
        quota: { ...quota, bytes },
        claimToken: 'token',
        leaseMs: 45_000,
        latestFirst: false,
        now: gateway.clock.now.getTime(),
      }),
    );
  const bodiesOf = ({ claimed }: QueueReport) =>
    claimed.flatMap(({ deliveries }) => deliveries.map(({ payload }) => payload));
  const claimedIds = async () =>
    (await gateway.deliveries()).filter(({ claim_token }) => claim_token !== null).map(({ id }) => id);

  beforeEach(async () => {
    gateway = await startDelivering({ dialect, delivery: { limits: { slots: 0 } } });
  });
  afterEach(() => gateway.close());

  it('end with the delivery that uses up the bytes', async () => {
    await gateway.webhook('https://hooks.example/');
    for (let n = 0; n < 5; n += 1) await gateway.emit(`${n}`.padEnd(1_000, '.'));
    const first = await run(room(2_500));
    expect([bodiesOf(first).length, first.more]).toEqual([3, true]);
    expect(await claimedIds()).toHaveLength(3);
    const second = await run(room(2_500));
    expect([bodiesOf(second).length, second.more]).toEqual([2, false]);
  });

  it('leave room for other destinations', async () => {
    await gateway.webhook('https://one.example/');
    await gateway.webhook('https://two.example/');
    for (let n = 0; n < 5; n += 1) await gateway.emit(`${n}`.padEnd(1_000, '.'));
    const { claimed, more } = await run(room(100_000, 2_500));
    expect(claimed.map(({ deliveries }) => deliveries.length)).toEqual([3, 3]);
    expect(more).toBe(true);
  });

  it('pass over destinations that hang, however many are due before one that is new', async () => {
    const { database } = gateway.app;
    for (let n = 0; n < 501; n += 1) {
      await gateway.webhook('https://hangs.example/', { id: `a${String(n).padStart(21, '0')}` });
    }
    await database.updateTable('webhook_destinations').set({ failing_since: 1 }).execute();
    const id = await gateway.webhook('https://new.example/', { id: 'b'.padEnd(22, '0') });
    await gateway.emit(1);
    const claim = (cursor: string) => run(room(1e9), { ...quotaFor(1_000), parts: { notQuick: 100, slow: 0 }, cursor });
    const first = await claim('');
    expect([first.claimed, first.waiting]).toEqual([[], 0]);
    const second = await claim(first.resumeAfter ?? '');
    expect(second.claimed.map(({ webhook }) => webhook.id)).toEqual([id]);
  });

  it('are given back when payloads are larger than their events', async () => {
    const names = Array.from({ length: 10 }, (_, n) => ({ name: `n${n}`, key: 'user_full_name' }));
    await gateway.webhook('https://hooks.example/', { data: JSON.stringify(names) });
    for (let n = 0; n < 5; n += 1) await gateway.emit(`${n}`.padEnd(1_000, '.'));
    const { claimed, more } = await run(room(15_000));
    expect(claimed.map(({ deliveries }) => deliveries.length)).toEqual([2]);
    expect(more).toBe(true);
    expect(await claimedIds()).toHaveLength(2);
  });

  it('report a payload that cannot be built, or is too large, with the reason, and return the others', async () => {
    const names = Array.from({ length: 200 }, (_, n) => ({ name: `n${n}`, key: 'user_full_name' }));
    await gateway.webhook('https://hooks.example/', { data: JSON.stringify(names) });
    await gateway.emit('large'.padEnd(100_000, '.'));
    const { eventId } = await gateway.emit('broken');
    await gateway.emit('good');
    await gateway.app.database.updateTable('events').set({ data: '{' }).where('id', '=', eventId).execute();
    const bodies = bodiesOf(await run(room(1_000_000)));
    expect(bodies).toHaveLength(3);
    expect(bodies.filter((body) => body instanceof Error).map(({ message }) => message)).toEqual([
      expect.stringMatching(/^The payload would have up to 200\d+ bytes$/),
      expect.stringMatching(/JSON/),
    ]);
    expect(bodies.filter((body) => typeof body === 'string')).toEqual([expect.stringContaining('"good"')]);
  });

  it('report payloads of a webhook whose data cannot be read, and return those of others', async () => {
    const broken = await gateway.webhook('https://broken.example/');
    await gateway.webhook('https://hooks.example/');
    await gateway.app.database.updateTable('webhooks').set({ data: '[' }).where('id', '=', broken).execute();
    await gateway.emit('n');
    const { claimed } = await run(room(1_000_000));
    const bodies = new Map(claimed.map(({ webhook, deliveries }) => [webhook.id === broken, deliveries[0]?.payload]));
    expect(bodies.get(true)).toMatchObject({ message: expect.stringMatching(/JSON/) });
    expect(bodies.get(false)).toContain('"n"');
  });

  it('hold the deliveries of accounts that their webhook does not listen to any more', async () => {
    const other = await gateway.space.account();
    const id = await gateway.webhook('https://hooks.example/');
    const stray = await gateway.emit('n');
    const event = { accountType: 'PNET', source: 'users', event: 'new_relation', data: {} } as const;
    const listened = await gateway.delivery.emit({
      ...event,
      workspaceId: gateway.space.workspaceId,
      accountId: other,
    });
    await gateway.app.database
      .updateTable('webhooks')
      .set({ account_ids: JSON.stringify([other]) })
      .where('id', '=', id)
      .execute();
    const { claimed, changed } = await run(room(1_000_000));
    expect(claimed.flatMap(({ deliveries }) => deliveries.map(({ deliveryId }) => deliveryId))).toEqual(
      listened.deliveries,
    );
    expect(changed).toEqual(stray.deliveries);
    expect((await gateway.deliveries()).map(({ id: of, state }) => [of, state])).toEqual(
      expect.arrayContaining([
        [stray.deliveries[0], 'held'],
        [listened.deliveries[0], 'pending'],
      ]),
    );
  });
});
