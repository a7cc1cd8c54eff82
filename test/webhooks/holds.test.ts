/** Webhooks with more deliveries than a command should change: they are held and deleted behind it, step by step. */
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { holdStep } from '../../src/capabilities/webhooks/holds.ts';
import { removals } from '../../src/capabilities/webhooks/removal.ts';
import { settleAndClaim } from '../../src/delivery/queue-transaction.ts';
import { inTurn } from '../../src/delivery/repeat.ts';
import { quotaFor } from '../support/claim-room.ts';
import { databases } from '../support/databases.ts';
import { type DeliveringGateway, startDelivering } from '../support/deliveries.ts';
import { startGateway } from '../support/gateway.ts';
import { fillingOf, subjects } from '../support/growth/fill.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { requestContext } from '../support/request-context.ts';

const count = 2_300;

describe.each(databases)('on $name', (dialect) => {
  let gateway: DeliveringGateway;
  let receiver: Receiver;
  let webhookId: string;
  const kind = dialect.name === 'SQLite' ? 'sqlite' : 'postgres';
  const context = () => requestContext(gateway.space.workspaceId);
  const states = async () => {
    const deliveries = await gateway.deliveries();
    return Object.fromEntries(
      [...Map.groupBy(deliveries, ({ state }) => state)].map(([state, of]) => [state, of.length]),
    );
  };
  const setEnabled = (enabled: boolean) =>
    gateway.app.ports.webhooks.update(context(), { webhook_id: webhookId, enabled });
  const step = () => holdStep(gateway.delivery.notifications.transaction, webhookId);
  const settle = (now: number) =>
    gateway.app.database.transaction().execute((transaction) =>
      settleAndClaim(transaction, {
        ...{ settlement: null, releases: [], quota: quotaFor(100), claimToken: 'token', leaseMs: 45_000 },
        ...{ latestFirst: false, now },
      }),
    );
  const claim = async () => {
    const { claimed } = await settle(gateway.clock.now.getTime());
    return claimed.flatMap(({ deliveries }) => deliveries.map(({ deliveryId }) => deliveryId));
  };

  beforeEach(async () => {
    // Neither the worker nor anything else of the engine does something by itself.
    const after = () => () => {};
    receiver = await startReceiver();
    gateway = await startDelivering({ dialect, delivery: { limits: { slots: 0 }, after } });
    webhookId = await gateway.webhook(receiver.address);
    await subjects['waiting deliveries'](fillingOf(gateway, kind, webhookId), count);
    await sql`update deliveries set next_at = 0`.execute(gateway.app.database);
  });
  afterEach(() => Promise.all([gateway.close(), receiver.close()]));

  it('disabling holds a thousand at once, and the others behind it, in steps that go on where the last has ended', async () => {
    await setEnabled(false);
    expect(await states()).toEqual({ held: 1_000, pending: count - 1_000 });
    expect(await claim()).toEqual([]);
    // Whatever is pending behind the step is not looked at again.
    await sql`update deliveries set state = 'pending' where state = 'held'`.execute(gateway.app.database);
    expect([await step(), await step(), await step()]).toEqual([true, true, false]);
    expect(await states()).toEqual({ held: count - 1_000, pending: 1_000 });
  });

  it('disabling holds before what is left to do of a webhook that was narrowed', async () => {
    const narrowed = { webhook_id: webhookId, account_ids: '["other"]', held_created_at: 0, held_id: '' };
    await gateway.app.database
      .insertInto('pending_holds')
      .values({ ...narrowed, through_created_at: 0, through_id: '' })
      .execute();
    await setEnabled(false);
    expect(await states()).toEqual({ held: 1_000, pending: count - 1_000 });
  });

  it('what is not yet held is never sent, although the webhook is enabled again; what is emitted then is', async () => {
    await setEnabled(false);
    // The rows that fill the database were created within as many milliseconds.
    gateway.clock.now = new Date(gateway.clock.now.getTime() + count);
    await setEnabled(true);
    const emitted = await gateway.emit('after');
    expect(await states()).toEqual({ held: 2_000, pending: count - 2_000 + 1 });
    expect(await claim()).toEqual([]);
    while (await step());
    expect(await states()).toEqual({ held: count, pending: 1 });
    expect(await claim()).toEqual(emitted.deliveries);
  });

  it.skipIf(kind === 'sqlite')(
    'waits for no delivery that another transaction has locked, and forgets none',
    async () => {
      const { database } = gateway.app;
      const release = Promise.withResolvers<void>();
      const locking = Promise.withResolvers<void>();
      const other = database.transaction().execute(async (transaction) => {
        await sql`
        select id from deliveries
        where id in (select id from deliveries order by created_at, id offset 500 limit 2) for update`.execute(
          transaction,
        );
        locking.resolve();
        await release.promise;
      });
      await locking.promise;
      await setEnabled(false);
      expect(await states()).toEqual({ held: 998, pending: count - 998 });
      expect([await step(), await step(), await step()]).toEqual([true, true, 'locked']);
      expect(await states()).toEqual({ held: count - 2, pending: 2 });
      await setEnabled(true);
      const redelivered = gateway.app.ports.deliveries.redeliverAll(context(), {
        webhook_id: webhookId,
        state: 'held',
      });
      await expect(redelivered).rejects.toMatchObject({ errorName: 'service_unavailable' });
      release.resolve();
      await other;
      expect([await step(), await step()]).toEqual([true, false]);
      expect(await states()).toEqual({ held: count });
    },
  );

  it('goes on in a process that starts later', async () => {
    await setEnabled(false);
    const other = await startGateway({
      environment: { DATABASE_URL: gateway.databaseUrl, OUTBOUND_ALLOW: '127.0.0.0/8' },
    });
    await expect.poll(states).toEqual({ held: count });
    await other.close();
    expect(receiver.received).toEqual([]);
  });

  it('redelivering holds what is yet to be held first, and then sends all', async () => {
    await setEnabled(false);
    await setEnabled(true);
    const { count: redelivered } = await gateway.app.ports.deliveries.redeliverAll(context(), {
      webhook_id: webhookId,
      state: 'held',
    });
    expect(redelivered).toBe(count);
    expect(await step()).toBe(false);
    expect(await states()).toEqual({ pending: count });
  });

  it('accounts that a webhook no longer listens to are held, unless it listens to them again', async () => {
    const { ports } = gateway.app;
    const other = await gateway.space.account();
    await ports.webhooks.update(context(), { webhook_id: webhookId, account_ids: [other] });
    expect(await states()).toEqual({ held: 1_000, pending: count - 1_000 });
    await ports.webhooks.update(context(), { webhook_id: webhookId, account_ids: [other, gateway.accountId] });
    while (await step());
    expect(await states()).toEqual({ held: 1_000, pending: count - 1_000 });
    await ports.webhooks.update(context(), { webhook_id: webhookId, account_ids: [other] });
    while (await step());
    expect(await states()).toEqual({ held: count });
  });

  it('a webhook that is deleted beside it is not enabled', async () => {
    const { webhooks } = gateway.app.ports;
    const outcomes = await Promise.allSettled([webhooks.delete(context(), { id: webhookId }), setEnabled(true)]);
    expect(outcomes[0]?.status).toBe('fulfilled');
    const row = gateway.app.database.selectFrom('webhooks').select('enabled').where('id', '=', webhookId);
    expect(await row.executeTakeFirst()).toEqual({ enabled: 0 });
    expect(await claim()).toEqual([]);
  });

  it('a deleted webhook disappears at once, with its deliveries, whose rows are deleted in steps', async () => {
    const { deliveries, webhooks } = gateway.app.ports;
    const { database } = gateway.app;
    const [delivery] = (await deliveries.list(context(), { webhook_id: webhookId })).items;
    const delivery_id = delivery?.delivery_id ?? '';
    await webhooks.delete(context(), { id: webhookId });

    expect(await webhooks.find(context(), [webhookId])).toEqual([null]);
    expect((await webhooks.list(context(), {})).items).toEqual([]);
    expect((await deliveries.list(context(), { webhook_id: webhookId })).items).toEqual([]);
    expect(await deliveries.find(context(), [delivery_id])).toEqual([null]);
    await expect(deliveries.attempts(context(), { delivery_id })).rejects.toMatchObject({ status: 404 });
    await expect(webhooks.delete(context(), { id: webhookId })).rejects.toMatchObject({ status: 404 });
    expect((await gateway.emit('late')).deliveries).toEqual([]);

    let steps = 0;
    expect(await states()).toEqual({ pending: count - 500 });
    const remove = inTurn(removals(database));
    while (await remove()) steps += 1;
    expect(steps).toBe(4);
    expect(await states()).toEqual({});
    expect(await database.selectFrom('webhooks').selectAll().execute()).toEqual([]);
    expect(await database.selectFrom('webhook_destinations').selectAll().execute()).toEqual([]);
  });

  it.runIf(kind === 'postgres')(
    'deliveries that are being settled are not waited for, but left to a later step',
    async () => {
      const { database } = gateway.app;
      await gateway.app.ports.webhooks.delete(context(), { id: webhookId });
      const remove = inTurn(removals(database));
      await database.transaction().execute(async (settling) => {
        await settling.selectFrom('deliveries').select('id').limit(3).forUpdate().execute();
        let steps = 0;
        while (await remove()) steps += 1;
        // As often as there is something to delete: it does not ask for locked ones again and again.
        expect(steps).toBeLessThan(6);
        expect(await states()).toEqual({ pending: 3 });
      });
      expect(await remove()).toBe(true);
      expect(await remove()).toBe(false);
      expect(await database.selectFrom('webhooks').selectAll().execute()).toEqual([]);
    },
  );

  it('deliveries that a webhook must not get any more are held when they are due, and paused ones wait', async () => {
    const { database } = gateway.app;
    const other = await gateway.webhook('https://hooks.example/');
    await gateway.emit('a');
    const later = gateway.clock.now.getTime() + 7_200_000;
    await database
      .updateTable('webhook_destinations')
      .set({ paused_until: later })
      .where('webhook_id', '=', other)
      .execute();
    await database.updateTable('webhooks').set({ enabled: 0 }).where('id', '=', webhookId).execute();
    for (const unfinished of [true, true, false]) {
      const report = await settle(later - 1);
      expect(report).toMatchObject({ claimed: [], unfinished });
    }
    const ofEach = Map.groupBy(await gateway.deliveries(), ({ webhook_id }) => webhook_id);
    expect(ofEach.get(other)).toMatchObject([{ state: 'pending', next_at: later }]);
    expect(new Set(ofEach.get(webhookId)?.map(({ state }) => state))).toEqual(new Set(['held']));
    expect(ofEach.get(webhookId)).toHaveLength(count + 1);
  });
});
