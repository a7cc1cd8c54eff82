/** Times that a wrong clock has stored do no lasting harm. */
import { describe, expect, it } from 'vitest';
import { maxPause, maxRetryAfter, retryDelays } from '../../src/delivery/retry-policy.ts';
import { cautiousTime } from '../../src/kernel/lib/cautious-time.ts';
import { maxAheadMs } from '../../src/store/statement-time.ts';
import { databases } from '../support/databases.ts';
import { startDelivering } from '../support/deliveries.ts';
import { startReceiver } from '../support/receiver.ts';

const day = 24 * 3_600_000;

describe.each(databases)('on $name', (dialect) => {
  it.each(Object.entries(maxAheadMs))('%s is believed up to its bound', async (name, bound) => {
    const receiver = await startReceiver();
    const gateway = await startDelivering({ dialect });
    const { database, delivery } = gateway.app;
    await gateway.webhook(receiver.address);
    receiver.answer = (_request, response) => response.writeHead(500).end();
    await gateway.emit('a');
    await gateway.delivery.worker.idle();
    receiver.answer = (_request, response) => void response.end();
    const [table, column] = name.split('.') as ['deliveries', 'next_at'];
    // In one transaction, as the worker may claim after each.
    const set = (ms: number) =>
      database.transaction().execute(async (open) => {
        await open.updateTable('deliveries').set({ next_at: 0 }).execute();
        await open
          .updateTable(table)
          .set({ [column]: gateway.clock.now.getTime() + ms })
          .execute();
      });
    await set(bound);
    for (let flushes = 0; flushes < 4; flushes += 1) await gateway.delivery.worker.idle();
    expect(receiver.received).toHaveLength(1);
    await set(bound + 1);
    const received = async () => {
      delivery?.worker.wake();
      return receiver.received.length;
    };
    await expect.poll(received, { timeout: 10_000 }).toBe(2);
    await gateway.close();
    await receiver.close();
  });
});

it.each(databases)(
  'a clock that jumps ahead disables no webhook that has just begun to fail, on $name',
  async (dialect) => {
    const receiver = await startReceiver();
    receiver.answer = (_request, response) => response.writeHead(500).end();
    const gateway = await startDelivering({ dialect });
    const webhookId = await gateway.webhook(receiver.address);
    await gateway.emit('a');
    await gateway.delivery.worker.idle();
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 6 * day);
    const received = async () => {
      gateway.delivery.worker.wake();
      return receiver.received.length;
    };
    await expect.poll(received, { timeout: 10_000 }).toBe(2);
    await gateway.delivery.worker.idle();
    const stored = gateway.app.database.selectFrom('webhooks').select('enabled').where('id', '=', webhookId);
    expect(await stored.executeTakeFirst()).toEqual({ enabled: 1 });
    await gateway.close();
    await receiver.close();
  },
);

it('retention believes a clock that is ahead after a day, and one that is behind at once', () => {
  let [wall, monotonic] = [1_000 * day, 0];
  const time = cautiousTime(
    () => new Date(wall),
    () => monotonic,
    null,
  );
  const pass = (ms: number) => {
    wall += ms;
    monotonic += ms;
    return time() / day;
  };
  expect(pass(0)).toBe(1_000);
  wall += 60 * day;
  expect(pass(0)).toBe(1_000);
  expect(pass(day / 2)).toBe(1_000.5);
  expect(pass(day / 2)).toBe(1_061);
  wall -= 60 * day;
  expect(pass(0)).toBe(1_001);
});

it('what is written is at most half as far ahead as is believed', () => {
  expect(2 * maxPause).toBeLessThanOrEqual(maxAheadMs['webhook_destinations.paused_until']);
  expect(2 * Math.max(maxRetryAfter, ...retryDelays)).toBeLessThanOrEqual(maxAheadMs['deliveries.next_at']);
});
