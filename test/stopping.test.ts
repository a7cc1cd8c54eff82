/** A gateway that stops with a request behind it: what the request has left to do is done before the database closes. */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { databases } from './support/databases.ts';
import { startDelivering } from './support/deliveries.ts';
import { graphql, startGateway } from './support/gateway.ts';
import { startReceiver } from './support/receiver.ts';

const [, postgres] = databases;

/** Milliseconds after which rows of full rate limits are deleted, before grants are settled. */
const cleanMs = 61_000;

test.skipIf(postgres === undefined).each([
  [0, []],
  [300, []],
  [1_600, ['could not settle rate limits in time']],
])('grants are settled before the database closes that is locked for %i ms, on Postgres', async (busyMs, told) => {
  if (postgres === undefined) throw new Error('there is no Postgres');
  const place = await postgres.withSchema();
  onTestFinished(() => place.drop());
  const gateway = await startGateway({ environment: { DATABASE_URL: place.url } });
  const { key } = await gateway.workspace();
  const ask = () => graphql(gateway.address, key, '{ viewer { name } }');
  await ask();
  gateway.clock.now = new Date(gateway.clock.now.getTime() + cleanMs);
  const somebody = new pg.Client(place.url);
  await somebody.connect();
  onTestFinished(() => somebody.end());
  await somebody.query('begin; lock table rate_limits in exclusive mode');
  await ask();
  gateway.clock.now = new Date(gateway.clock.now.getTime() + 2_000);
  await ask();
  const closing = gateway.close();
  await sleep(busyMs);
  await somebody.query('rollback');
  await closing;
  // Whatever was still under way fails by then.
  await sleep(300);
  expect(gateway.log.flatMap(({ level, msg }) => (level === 30 ? [] : msg))).toEqual(told);
});

test.each(databases)('deliveries end beside requests, and none begins meanwhile, on $name', async (dialect) => {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const answering: (() => void)[] = [];
  receiver.answer = (_request, response) => void answering.push(() => response.end());
  const gateway = await startDelivering({ dialect });
  await gateway.webhook(`${receiver.address}/`);
  await gateway.emit('before');
  await receiver.waitFor(1);
  // Waited for, for two seconds.
  const client = connect(Number(new URL(gateway.address).port), '127.0.0.1').on('error', () => undefined);
  onTestFinished(() => void client.destroy());
  client.write('POST /graphql HT');
  await graphql(gateway.address, gateway.space.key, '{ viewer { name } }');
  const closing = gateway.close();
  await sleep(50);
  await gateway.emit('during');
  for (const answer of answering) answer();
  await expect
    .poll(async () => (await gateway.deliveries()).map(({ state }) => state).sort(), { timeout: 1_500 })
    .toEqual(['pending', 'succeeded']);
  expect(client.readyState).toBe('open');
  await closing;
  expect(receiver.received).toHaveLength(1);
});
