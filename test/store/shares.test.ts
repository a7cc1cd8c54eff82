/** A table that somebody else has locked holds up commands that write to it, and nothing else. */
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { databases } from '../support/databases.ts';
import { graphql, startGateway } from '../support/gateway.ts';

const create = `mutation { createWebhook(input: { requestUrl: "https://hooks.example/", source: USERS }) { __typename } }`;
const read = '{ webhooks { totalCount } }';

const [, postgres] = databases;

describe.skipIf(postgres === undefined)('Postgres', () => {
  const dialect = postgres as NonNullable<typeof postgres>;

  test('reads of a workspace do not wait for commands of another that fill the pool', async () => {
    const place = await dialect.withSchema();
    onTestFinished(() => place.drop());
    const gateway = await startGateway({ environment: { DATABASE_URL: place.url } });
    onTestFinished(() => gateway.close());
    const [one, other] = [await gateway.workspace(), await gateway.workspace()];
    const outside = new pg.Client(place.url);
    await outside.connect();
    await outside.query('begin; lock table webhooks in exclusive mode');
    try {
      const commands = Array.from({ length: 40 }, () => graphql(gateway.address, one.key, create));
      await expect
        .poll(async () => (await outside.query('select 1 from pg_locks where not granted')).rowCount)
        .toBeGreaterThan(0);
      const { data, errors } = await graphql(gateway.address, other.key, read);
      expect(errors).toEqual([]);
      expect(data).toEqual({ webhooks: { totalCount: 0 } });
      await outside.query('rollback');
      await Promise.all(commands);
    } finally {
      await outside.end();
    }
  });
});
