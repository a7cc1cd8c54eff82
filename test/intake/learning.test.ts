/** Accounts that a service tells of, learned by several processes at once, on each database. */
import { expect, onTestFinished, test } from 'vitest';
import { learnAccounts } from '../../src/auth/account-repository.ts';
import { openDatabase } from '../../src/store/database.ts';
import { migrations } from '../../src/store/migrations/index.ts';
import { databases } from '../support/databases.ts';

/** Postgres looks for a deadlock after a second. */
const deadlockMs = 1_000;

test.each(databases)('the same accounts in another order do not wait for each other on $name', async (dialect) => {
  const place = await dialect.withSchema();
  const database = await openDatabase(place.location, migrations);
  onTestFinished(async () => {
    await database.destroy();
    await place.drop();
  });
  await database.insertInto('workspaces').values({ id: 'w', name: 'w', created_at: 1 }).execute();
  const accounts = Array.from({ length: 250 }, (_, n) => ({ id: `a${n}`, name: 'Ada' }));
  const startedAt = performance.now();
  for (let round = 0; round < 4; round += 1) {
    const lists = [accounts, accounts.toReversed(), accounts];
    await Promise.all(lists.map((list) => learnAccounts(database, 'w', list, new Date())));
  }
  expect(performance.now() - startedAt).toBeLessThan(deadlockMs);
});
