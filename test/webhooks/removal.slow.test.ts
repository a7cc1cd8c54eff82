/** Webhooks with more deliveries than one transaction should change: they are deleted step by step. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removals } from '../../src/capabilities/webhooks/removal.ts';
import { settleAndClaim } from '../../src/delivery/queue-transaction.ts';
import { inTurn } from '../../src/delivery/repeat.ts';
import { quotaFor } from '../support/claim-room.ts';
import { databases } from '../support/databases.ts';
import { type DeliveringGateway, startDelivering } from '../support/deliveries.ts';
import { fillingOf, subjects } from '../support/growth/fill.ts';
import { requestContext } from '../support/request-context.ts';

const count = 2_300;

describe.each(databases)('on $name', (dialect) => {
  let gateway: DeliveringGateway;
  let webhookId: string;
  const kind = dialect.name === 'SQLite' ? 'sqlite' : 'postgres';
  const context = () => requestContext(gateway.space.workspaceId);
  const states = async () => {
    const deliveries = await gateway.deliveries();
    return Object.fromEntries(
      [...Map.groupBy(deliveries, ({ state }) => state)].map(([state, of]) => [state, of.length]),
    );
  };

  beforeEach(async () => {
    // Neither the worker nor anything else of the engine does something by itself.
    const after = () => () => {};
    gateway = await startDelivering({ dialect, delivery: { limits: { slots: 0 }, after } });
    webhookId = await gateway.webhook('https://hooks.example/');
    await subjects['waiting deliveries'](fillingOf(gateway, kind, webhookId), count);
  });
  afterEach(() => gateway.close());

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
    const step = inTurn(removals(database));
    while (await step()) steps += 1;
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
      const step = inTurn(removals(database));
      await database.transaction().execute(async (settling) => {
        await settling.selectFrom('deliveries').select('id').limit(3).forUpdate().execute();
        let steps = 0;
        while (await step()) steps += 1;
        // As often as there is something to delete: it does not ask for locked ones again and again.
        expect(steps).toBeLessThan(6);
        expect(await states()).toEqual({ pending: 3 });
      });
      expect(await step()).toBe(true);
      expect(await step()).toBe(false);
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
      const report = await database.transaction().execute((transaction) =>
        settleAndClaim(transaction, {
          settlement: null,
          releases: [],
          quota: quotaFor(100, 100),
          claimToken: 'token',
          leaseMs: 45_000,
          latestFirst: false,
          now: later - 1,
        }),
      );
      expect(report).toMatchObject({ claimed: [], unfinished });
    }
    const ofEach = Map.groupBy(await gateway.deliveries(), ({ webhook_id }) => webhook_id);
    expect(ofEach.get(other)).toMatchObject([{ state: 'pending', next_at: later }]);
    expect(new Set(ofEach.get(webhookId)?.map(({ state }) => state))).toEqual(new Set(['held']));
    expect(ofEach.get(webhookId)).toHaveLength(count + 1);
  });
});
