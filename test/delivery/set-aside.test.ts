/** What is put aside is put aside for what is so now, not for what was so when the destinations were read. */
import { expect, it, onTestFinished } from 'vitest';
import { setAside } from '../../src/delivery/due.ts';
import { databases } from '../support/databases.ts';
import { startDelivering } from '../support/deliveries.ts';

it.each(databases)('a pause that has ended meanwhile puts nothing aside, on $name', async (dialect) => {
  const gateway = await startDelivering({ dialect, delivery: { limits: { slots: 0 } } });
  onTestFinished(() => gateway.close());
  const { database } = gateway.app;
  const id = await gateway.webhook('https://hooks.example/');
  await gateway.emit('a');
  const paused_until = gateway.clock.now.getTime() + 60_000;
  const put = async (enabled: number) => {
    const read = { id, enabled, paused_until, failing: 1, is_holding: 0 };
    await database.transaction().execute((transaction) => setAside(transaction, [read]));
    const [delivery] = await gateway.deliveries();
    return [delivery?.state, delivery?.next_at];
  };
  expect(await put(1)).toEqual(['pending', 0]);
  expect(await put(0)).toEqual(['pending', 0]);
  await database.updateTable('webhook_destinations').set({ paused_until }).execute();
  expect(await put(1)).toEqual(['pending', paused_until]);
});
