/** Every webhook has a destination with a signing secret, also a webhook from a database that did not know them yet. */
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMissingSecrets, openSecrets } from '../../src/capabilities/webhooks/destinations.ts';
import { newId } from '../../src/kernel/ids.ts';
import { openDatabase } from '../../src/store/database.ts';
import { migrations } from '../../src/store/migrations/index.ts';
import type { WebhookTable } from '../../src/store/schema.ts';
import { databases, type TestDatabase } from '../support/databases.ts';
import { startGateway } from '../support/gateway.ts';
import { startReceiver } from '../support/receiver.ts';
import { testVault } from '../support/webhooks.ts';

const workspaceId = newId(randomBytes);

const webhook = (requestUrl: string): WebhookTable => ({
  id: newId(randomBytes),
  workspace_id: workspaceId,
  type: 'AUTO',
  source: 'users',
  name: null,
  enabled: 1,
  request_url: requestUrl,
  format: 'json',
  account_ids: '[]',
  headers: '[]',
  data: '[{"name":"n","key":"user_full_name"}]',
  events: '["new_relation"]',
  trigger: null,
  created_at: 0,
});

describe.each(databases)('on $name', (dialect) => {
  let place: TestDatabase;

  /** A database of the schema before webhooks had destinations, with these webhooks in it. */
  async function olderDatabase(webhooks: readonly WebhookTable[]): Promise<void> {
    const [foundation, idempotency, delivery] = Object.entries(migrations);
    if (foundation === undefined || idempotency === undefined || delivery === undefined) throw new Error('no schema');
    const database = await openDatabase(place.location, Object.fromEntries([foundation, idempotency, delivery]));
    await database.insertInto('workspaces').values({ id: workspaceId, name: 'old', created_at: 0 }).execute();
    await database.insertInto('webhooks').values(webhooks).execute();
    await database.destroy();
  }

  beforeEach(async () => {
    place = await dialect.location();
  });
  afterEach(() => place.drop());

  test('a webhook without a destination is delivered to once the gateway has started', async () => {
    const receiver = await startReceiver();
    await olderDatabase([webhook(receiver.address)]);
    const gateway = await startGateway({ environment: { DATABASE_URL: place.url, OUTBOUND_ALLOW: '127.0.0.0/8' } });
    await gateway.app.delivery?.emit({
      workspaceId,
      accountId: null,
      accountType: null,
      source: 'users',
      event: 'new_relation',
      data: { user_full_name: 'a' },
    });
    await receiver.waitFor(1);
    expect(receiver.received).toMatchObject([
      { body: '{"event":"new_relation","n":"a"}', headers: { 'webhook-signature': expect.stringMatching(/^v1,/) } },
    ]);
    await gateway.close();
    await receiver.close();
  });

  test('a second start keeps the secrets, and starts at the same time agree on them', async () => {
    const webhooks = Array.from({ length: 600 }, () => webhook('https://hooks.example/'));
    await olderDatabase(webhooks);
    const database = await openDatabase(place.location);
    const context = { vault: testVault, randomBytes };
    await Promise.all([createMissingSecrets(database, context), createMissingSecrets(database, context)]);
    const read = () => database.selectFrom('webhook_destinations').selectAll().orderBy('webhook_id').execute();
    const destinations = await read();
    expect(destinations.map(({ webhook_id }) => webhook_id).sort()).toEqual(webhooks.map(({ id }) => id).sort());
    for (const destination of destinations) expect(openSecrets(testVault, destination)).toHaveLength(1);
    await createMissingSecrets(database, context);
    expect(await read()).toEqual(destinations);
    await database.destroy();
  });
});
