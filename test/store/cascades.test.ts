/** What belongs to a row goes with it: by foreign keys on SQLite, and by triggers on Postgres. */
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DatabaseKind } from '../../src/store/json.ts';
import { databases } from '../support/databases.ts';
import { type DeliveringGateway, startDelivering } from '../support/deliveries.ts';
import { analyze, fillingOf, subjects } from '../support/growth/fill.ts';
import { runQueue } from '../support/growth/operations.ts';

describe.each(databases)('on $name', (dialect) => {
  const kind: DatabaseKind = dialect.name === 'SQLite' ? 'sqlite' : 'postgres';
  let gateway: DeliveringGateway;
  let [webhookId, otherId] = ['', ''];

  /** How many rows there are of each table. */
  const counts = async () => {
    const { rows } = await sql<Record<'events' | 'deliveries' | 'attempts', number>>`
      select (select count(*) from events) as events, (select count(*) from deliveries) as deliveries,
        (select count(*) from delivery_attempts) as attempts`.execute(gateway.app.database);
    return rows[0];
  };
  const idsOf = async (webhook: string) =>
    (await gateway.deliveries()).filter(({ webhook_id }) => webhook_id === webhook).map(({ id }) => id);

  beforeEach(async () => {
    gateway = await startDelivering({ dialect, delivery: { limits: { slots: 0 } } });
    webhookId = await gateway.webhook('https://hooks.example/a');
    otherId = await gateway.webhook('https://hooks.example/b');
    for (const n of [1, 2, 3]) await gateway.emit(n);
    await runQueue({ gateway, webhookId }, [], webhookId, true);
    for (const each of [webhookId, otherId]) {
      await runQueue({ gateway, webhookId }, await idsOf(each), each, false);
    }
    expect(await counts()).toEqual({ events: 3, deliveries: 6, attempts: 6 });
  });
  afterEach(() => gateway.close());

  it('deliveries take their attempts along', async () => {
    await gateway.app.database.deleteFrom('deliveries').where('webhook_id', '=', webhookId).execute();
    expect(await counts()).toEqual({ events: 3, deliveries: 3, attempts: 3 });
  });

  it('events take their deliveries along', async () => {
    const [first] = await gateway.deliveries();
    await gateway.app.database
      .deleteFrom('events')
      .where('id', '=', first?.event_id ?? '')
      .execute();
    expect(await counts()).toEqual({ events: 2, deliveries: 4, attempts: 4 });
  });

  it('webhooks take their deliveries along', async () => {
    await gateway.app.database.deleteFrom('webhooks').where('id', '=', webhookId).execute();
    expect(await counts()).toEqual({ events: 3, deliveries: 3, attempts: 3 });
    expect(await idsOf(webhookId)).toEqual([]);
  });

  it.skipIf(dialect.name === 'SQLite')('no attempt is stored of a delivery that is being deleted', async () => {
    const { database } = gateway.app;
    await gateway.emit(4);
    await runQueue({ gateway, webhookId }, [], webhookId, true);
    const [claimed = ''] = (await gateway.deliveries())
      .filter(({ webhook_id, claim_token }) => webhook_id === webhookId && claim_token !== null)
      .map(({ id }) => id);
    const before = await counts();
    const settling = await database.transaction().execute(async (transaction) => {
      await transaction.deleteFrom('deliveries').where('id', '=', claimed).execute();
      const settled = runQueue({ gateway, webhookId }, [claimed], webhookId, false);
      await expect.poll(() => waiting()).toBe(1);
      return { settled };
    });
    expect((await settling.settled).changed).toEqual([]);
    expect(await counts()).toEqual({ ...before, deliveries: 7 });
  });

  // Where one webhook or event has all deliveries, the statistics say that any other has, too.
  it.skipIf(dialect.name === 'SQLite').each([
    ['webhooks', 'deliveries'],
    ['events', 'deliveries'],
    ['deliveries', 'delivery_attempts'],
  ] as const)('a row of %s reads no %s but its own', async (parent, child) => {
    const { database } = gateway.app;
    const filling = fillingOf(gateway, kind, webhookId);
    await database.deleteFrom('events').execute();
    // Of an event, each webhook has one.
    await subjects[parent === 'events' ? 'waiting destinations' : 'finished deliveries'](filling, 2_000);
    if (parent === 'events') await sql`update deliveries set event_id = (select min(id) from events)`.execute(database);
    await sql`
      insert into delivery_attempts (delivery_id, number, started_at, duration_ms, response_body)
      select id, 1, 0, 1, '' from deliveries on conflict do nothing`.execute(database);
    await analyze(filling);
    const id = await gateway.webhook('https://hooks.example/c');
    const { eventId } = await gateway.emit(5, 'the last');
    const [delivery] = (await gateway.deliveries()).filter(({ event_id }) => event_id === eventId);
    const doomed = { webhooks: id, events: eventId, deliveries: delivery?.id ?? '' }[parent];
    await database.transaction().execute(async (transaction) => {
      // What the connection has not reported yet counts too, of earlier transactions as well.
      const rowsRead = async () => {
        const { rows } = await sql<{ read: string }>`
          select seq_tup_read + idx_tup_fetch as read from pg_stat_xact_user_tables where relname = ${child}`.execute(
          transaction,
        );
        return Number(rows[0]?.read);
      };
      const before = await rowsRead();
      await transaction.deleteFrom(parent).where('id', '=', doomed).execute();
      expect((await rowsRead()) - before).toBeLessThan(10);
    });
  });

  const waiting = async () => {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(gateway.app.database);
    return rows[0]?.count;
  };
});
