/** Accounts that a service tells of, learned by several processes at once, on each database. */
import { expect, onTestFinished, test } from 'vitest';
import { createInbox } from '../../src/app/intake/inbox.ts';
import { learnAccounts } from '../../src/auth/account-repository.ts';
import { connectedThere } from '../../src/auth/account-rule.ts';
import type { WebhookEvent } from '../../src/events/sources.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { openDatabase } from '../../src/store/database.ts';
import { migrations } from '../../src/store/migrations/index.ts';
import { databases, type TestDialect } from '../support/databases.ts';
import { requestContext } from '../support/request-context.ts';

/** Postgres looks for a deadlock after a second. */
const deadlockMs = 1_000;

/** With a workspace `w`. */
async function open(dialect: TestDialect | undefined) {
  if (dialect === undefined) throw new Error('there is a database');
  const place = await dialect.withSchema();
  const database = await openDatabase(place.location, migrations);
  onTestFinished(async () => {
    await database.destroy();
    await place.drop();
  });
  await database.insertInto('workspaces').values({ id: 'w', name: 'w', created_at: 1 }).execute();
  return database;
}

test.each(databases)('the same accounts in another order do not wait for each other on $name', async (dialect) => {
  const database = await open(dialect);
  const accounts = Array.from({ length: 250 }, (_, n) => ({ id: `a${n}`, name: 'Ada' }));
  const startedAt = performance.now();
  for (let round = 0; round < 4; round += 1) {
    const lists = [accounts, accounts.toReversed(), accounts];
    await Promise.all(lists.map((list) => learnAccounts(database, 'w', list, new Date())));
  }
  expect(performance.now() - startedAt).toBeLessThan(deadlockMs);
});

test('of the accounts that somebody names, those of the key are learned, and ten thousand in all', async () => {
  const database = await open(databases[0]);
  const { admit } = connectedThere(database, () => new Date());
  const { caller } = requestContext('w');
  const known = async () => (await database.selectFrom('accounts').select('id').execute()).map(({ id }) => id);
  await admit({ ...caller, accountIds: new Set(['own']) }, ['own', 'of others']);
  expect(await known()).toEqual(['own']);
  const others = Array.from({ length: 9_999 }, (_, n) => ({ id: `a${n}` }));
  await learnAccounts(database, 'w', others, new Date());
  await expect(admit(caller, ['one more'])).rejects.toMatchObject({ errorName: 'action_required' });
  expect(await known()).toHaveLength(10_000);
});

test('the status of an event that is not stored is not learned', async () => {
  const database = await open(databases[0]);
  let isAway = true;
  const stored = new Set<string>();
  const inbox = createInbox({
    database,
    workspaceId: 'w',
    now: () => new Date(),
    limits: {
      deliveries: { take: async () => ({}), charge() {} },
      events: { take: async () => ({}) },
      eventBytes: { take: async () => ({}) },
    },
    delivery: {
      storedBytes: { requireRoom: async () => undefined },
      async emit({ idempotencyKey = '' }: { readonly idempotencyKey?: string }) {
        if (isAway) throw new ServiceError('service_unavailable');
        const repeated = stored.has(idempotencyKey);
        stored.add(idempotencyKey);
        return { eventId: 'e', deliveries: [], repeated, createdAt: Date.now() };
      },
    },
  } as never);
  const status = async () => (await database.selectFrom('accounts').select('status').executeTakeFirst())?.status;
  const tell = (event: WebhookEvent, id: string) =>
    inbox.store('account_status', event, { accountId: 'a', accountType: 'PNET', accountName: 'A', data: {} }, id);
  await expect(tell('credentials', 'm1')).rejects.toThrow();
  isAway = false;
  await tell('ok', 'm2');
  expect(await status()).toBe('OK');
  await tell('credentials', 'm1');
  expect(await status()).toBe('CREDENTIALS');
  await tell('ok', 'm2');
  expect(await status()).toBe('CREDENTIALS');
});
