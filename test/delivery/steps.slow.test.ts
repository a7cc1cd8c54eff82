/** Work on many webhooks: one for which it always fails holds up no other. */
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Database } from '../../src/store/database.ts';
import { databases, type TestDialect } from '../support/databases.ts';
import { startDelivering } from '../support/deliveries.ts';

/** The first in any order. */
const failing = '0'.repeat(22);
const url = 'https://hooks.example/';

/** Refuses rows of a table. @param rows a condition over `new` */
async function refuse(database: Database, { name }: TestDialect, on: string, table: string, rows: string) {
  if (name === 'SQLite') {
    await sql`create trigger refusal before ${sql.raw(on)} on ${sql.table(table)} when ${sql.raw(rows)}
      begin select raise(abort, 'refused'); end`.execute(database);
    return;
  }
  await sql`create function refusal() returns trigger language plpgsql as
    'begin raise exception $$refused$$; end'`.execute(database);
  await sql`create trigger refusal before ${sql.raw(on)} on ${sql.table(table)} for each row when (${sql.raw(rows)})
    execute function refusal()`.execute(database);
}

describe.each(databases)('on $name', (dialect) => {
  it('a webhook whose deliveries cannot be deleted', async () => {
    const gateway = await startDelivering({ dialect });
    const { database } = gateway.app;
    const other = await gateway.webhook(url);
    await gateway.webhook(url, { id: failing });
    await refuse(
      database,
      dialect,
      'delete',
      'webhooks',
      `old.id = '${failing}' and old.workspace_id = 'removed-webhooks'`,
    );
    await database
      .insertInto('workspaces')
      .values({ id: 'removed-webhooks', name: 'Removed', created_at: 0 })
      .execute();
    await database.updateTable('webhooks').set({ workspace_id: 'removed-webhooks' }).execute();
    const left = () => database.selectFrom('webhooks').select('id').execute();
    await expect.poll(left).toEqual([{ id: failing }]);
    expect(other).not.toBe(failing);
    await gateway.close();
  });

  it('a webhook whose deliveries cannot be held', async () => {
    const gateway = await startDelivering({ dialect, delivery: { limits: { slots: 0 } } });
    const { database } = gateway.app;
    const other = await gateway.webhook(url);
    await gateway.webhook(url, { id: failing });
    await gateway.emit(1);
    await refuse(database, dialect, 'update', 'deliveries', `new.webhook_id = '${failing}' and new.state = 'held'`);
    const through = { through_created_at: Number.MAX_SAFE_INTEGER, through_id: '', held_created_at: 0, held_id: '' };
    await database
      .insertInto('pending_holds')
      .values([failing, other].map((webhook_id) => ({ webhook_id, account_ids: '[]', ...through })))
      .execute();
    const states = async () => (await gateway.deliveries()).map(({ webhook_id, state }) => [webhook_id, state]);
    await expect.poll(states).toEqual(expect.arrayContaining([[other, 'held']]));
    expect(await states()).toEqual(expect.arrayContaining([[failing, 'pending']]));
    await gateway.close();
  });

  it('a webhook whose owner cannot be notified', async () => {
    const gateway = await startDelivering({ dialect });
    const { database } = gateway.app;
    await gateway.webhook(url, { id: failing });
    const other = await gateway.webhook(url);
    const receiver = await gateway.webhook(url, { events: '[]' });
    await database
      .insertInto('notice_receivers')
      .values({ workspace_id: gateway.space.workspaceId, webhook_id: receiver })
      .execute();
    await refuse(database, dialect, 'insert', 'events', `new.data like '%${failing}%'`);
    const notice = { disabled_at: 1, reason: 'failing' };
    await database
      .insertInto('pending_notices')
      .values([failing, other].map((webhook_id) => ({ webhook_id, ...notice })))
      .execute();
    const left = () => database.selectFrom('pending_notices').select('webhook_id').execute();
    await expect.poll(left).toEqual([{ webhook_id: failing }]);
    // It is logged after the commit.
    const logged = () => gateway.log.filter(({ msg }) => msg === 'webhook disabled');
    await expect.poll(logged).toMatchObject([{ webhookId: other, notified: 1 }]);
    await gateway.close();
  });
});
