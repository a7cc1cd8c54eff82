/** Redelivering many deliveries: all of them, each once, on every database. */
import { expect, it } from 'vitest';
import { requeueAll } from '../../src/capabilities/deliveries/requeue.ts';
import { databases } from '../support/databases.ts';
import { startDelivering } from '../support/deliveries.ts';

it.each(databases)('more deliveries than one transaction takes are each requeued once, on $name', async (dialect) => {
  const gateway = await startDelivering({ dialect, delivery: { limits: { slots: 0 } } });
  const webhookId = await gateway.webhook('https://hooks.example/');
  const other = await gateway.webhook('https://hooks.example/other');
  await gateway.emit('first');
  const { database, delivery } = gateway.app;
  const [first] = await database.selectFrom('deliveries').selectAll().where('webhook_id', '=', webhookId).execute();
  if (first === undefined || delivery === null) throw new Error('nothing was emitted');
  // Times that several share, and a page that ends within them.
  for (let at = 0; at < 2_100; at += 300) {
    const copies = Array.from({ length: 300 }, (_, index) => ({
      ...first,
      id: `copy-${at + index}`,
      event_id: `copy-${at + index}`,
      created_at: Math.floor((at + index) / 7),
    }));
    const event = await database
      .selectFrom('events')
      .selectAll()
      .where('id', '=', first.event_id)
      .executeTakeFirstOrThrow();
    await database
      .insertInto('events')
      .values(copies.map(({ event_id: id }) => ({ ...event, id })))
      .execute();
    await database.insertInto('deliveries').values(copies).execute();
  }
  await database.updateTable('deliveries').set({ state: 'failed', attempts: 10 }).execute();
  let transactions = 0;
  const filter = { webhookId, state: 'failed' as const, since: 3, until: 299, accountIds: [] };
  const count = await requeueAll(
    async (work) => {
      transactions += 1;
      const result = await delivery.notifications.transaction(work);
      // What has failed again in the meantime is left for the next call.
      await database
        .updateTable('deliveries')
        .set({ state: 'failed' })
        .where('state', '=', 'pending')
        .where('created_at', '=', 298)
        .execute();
      return result;
    },
    filter,
    gateway.clock.now.getTime(),
  );
  expect(count).toBe(296 * 7);
  expect(transactions).toBe(3);
  const deliveries = await gateway.deliveries();
  expect(deliveries.filter(({ webhook_id }) => webhook_id === other)).toMatchObject([{ state: 'failed' }]);
  const pending = deliveries.filter(({ state }) => state === 'pending');
  expect(pending.every((row) => row.created_at >= 3 && row.created_at < 299 && row.attempts_before === 10)).toBe(true);
  expect(pending).toHaveLength(295 * 7);
  await gateway.close();
});
