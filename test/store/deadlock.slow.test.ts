/** A deadlock that Postgres ends at the cost of the gateway: the transaction is repeated, and the caller sees nothing of it. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { databases } from '../support/databases.ts';
import { graphql, startGateway } from '../support/gateway.ts';

const [, postgres] = databases;

test.skipIf(postgres === undefined)('a webhook is created despite a deadlock with another session', async () => {
  if (postgres === undefined) return;
  const place = await postgres.withSchema();
  onTestFinished(place.drop);
  const gateway = await startGateway({ environment: { DATABASE_URL: place.url } });
  onTestFinished(gateway.close);
  const { workspaceId, key } = await gateway.workspace();
  const other = new pg.Client({ connectionString: place.url });
  await other.connect();
  onTestFinished(() => other.end());

  const waiting = `select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  /** @returns whether the gateway is the one that Postgres ends: who waits looks for a deadlock once, after a second */
  const meet = async () => {
    // The gateway locks the workspace, then the webhooks; the other session the webhooks, then the workspace.
    await other.query('begin; lock table webhooks in share row exclusive mode');
    const created = graphql(
      gateway.address,
      key,
      `mutation { createWebhook(input: { requestUrl: "https://hooks.example/in", source: USERS }) { __typename } }`,
    );
    await expect.poll(async () => (await other.query(waiting)).rows[0].count).toBe(1);
    const update = other.query('update workspaces set name = name where id = $1', [workspaceId]);
    const isOurs = await update.then(
      () => true,
      () => false,
    );
    await sleep(100);
    await other.query(isOurs ? 'commit' : 'rollback');
    const { errors, data } = await created;
    expect(errors).toEqual([]);
    expect(data.createWebhook.__typename).toBe('WebhookCreated');
    return isOurs;
  };
  const met = [await meet(), await meet(), await meet()];
  expect(met).toContain(true);
});
