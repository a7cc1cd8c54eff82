/** Processes whose clocks differ share the queue of one Postgres: nothing is sent twice, and nothing waits for a clock. */
import { expect, onTestFinished, test } from 'vitest';
import { databases } from '../support/databases.ts';
import { startDelivering } from '../support/deliveries.ts';
import { startGateway } from '../support/gateway.ts';
import { startReceiver } from '../support/receiver.ts';

const postgres = databases.find(({ name }) => name === 'Postgres');
const hour = 3_600_000;

/** A process whose clock is so far ahead. */
const ahead = (ms: number) => {
  const wall = () => Date.now() + ms;
  const clock = {
    get now() {
      return new Date(wall());
    },
    set now(_: Date) {
      throw new Error('This clock goes by itself');
    },
  };
  return { clock, delivery: { wall, pollMs: 50 } };
};

test.skipIf(postgres === undefined).each([1, -1])('clocks that are %s hour apart', async (hours) => {
  if (postgres === undefined) throw new Error('There is no Postgres');
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const [right, wrong] = [ahead(0), ahead(hours * hour)];
  const first = await startDelivering({ dialect: postgres, ...right });
  onTestFinished(() => first.close());
  const environment = { DATABASE_URL: first.databaseUrl, OUTBOUND_ALLOW: '127.0.0.0/8' };
  const second = await startGateway({ environment, ...wrong });
  onTestFinished(() => second.close());
  await first.webhook(receiver.address);
  let fails = false;
  receiver.answer = (_request, response) =>
    void setTimeout(() => response.writeHead(fails ? 500 : 200).end(), fails ? 0 : 300);
  for (let n = 0; n < 30; n += 1) await first.emit(n);
  await expect
    .poll(async () => (await first.deliveries()).filter(({ state }) => state === 'succeeded').length)
    .toBe(30);
  expect(receiver.received).toHaveLength(30);
  // Whoever settles it, a retry is some seconds or minutes off.
  fails = true;
  for (let n = 0; n < 10; n += 1) await first.emit(`failing ${n}`);
  const retried = async () =>
    (await first.deliveries()).filter(({ attempts, state }) => attempts > 0 && state === 'pending');
  await expect.poll(async () => (await retried()).length).toBe(10);
  for (const { next_at } of await retried()) expect(Math.abs(next_at - Date.now())).toBeLessThan(hour / 2);
});
