/** A gateway that stops with a request behind it: what the request has left to do is done before the database closes. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { databases } from './support/databases.ts';
import { graphql, startGateway } from './support/gateway.ts';

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
