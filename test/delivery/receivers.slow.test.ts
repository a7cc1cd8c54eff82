/** The webhooks that receive an event, found in the index that the database derives from them. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { DefaultQueryExecutor, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createEmit } from '../../src/delivery/emit.ts';
import { lockKey } from '../../src/store/locks.ts';
import type { Telemetry } from '../../src/telemetry/telemetry.ts';
import { injectFaults } from '../support/database-faults.ts';
import { databases } from '../support/databases.ts';
import { type DeliveringGateway, startDelivering } from '../support/deliveries.ts';
import { fillingOf, subjects } from '../support/growth/fill.ts';

describe.each(databases)('on $name', (dialect) => {
  let gateway: DeliveringGateway;
  const receivers = async () => {
    const { deliveries } = await gateway.emit('a');
    const stored = new Map((await gateway.deliveries()).map(({ id, webhook_id }) => [id, webhook_id]));
    return deliveries.map((id) => stored.get(id)).sort();
  };
  const listeners = () =>
    gateway.app.database.selectFrom('webhook_listeners').select(['event', 'account_id']).execute();

  beforeEach(async () => {
    gateway = await startDelivering({ dialect, delivery: { limits: { slots: 0 } } });
  });
  afterEach(() => gateway.close());

  it('each of many webhooks gets one delivery, and the others none', async () => {
    const { accountId } = gateway;
    const { database } = gateway.app;
    const webhookId = await gateway.webhook('https://hooks.example/', { account_ids: '["other"]' });
    const kind = dialect.name === 'SQLite' ? 'sqlite' : 'postgres';
    await subjects.webhooks(fillingOf(gateway, kind, webhookId), 2_000);
    const own = JSON.stringify([accountId, 'other']);
    await sql`update webhooks set account_ids = ${own} where id like 'w%3A' or id like 'w%4A' or id like 'w%5A'
      or id like 'w%6A' or id like 'w%7A'`.execute(database);
    await sql`update webhooks set account_ids = '[]' where id like 'w%8A'`.execute(database);
    const { rows } = await sql<{ id: string }>`
      select id from webhooks where account_ids in ('[]', ${own})`.execute(database);
    expect(rows).toHaveLength(1_200);
    expect(await receivers()).toEqual(rows.map(({ id }) => id).sort());
  });

  // Of few, one statement stores the deliveries.
  it.each([600, 10])(
    'a webhook among %i that moves between its account and all accounts gets one delivery of each event',
    async (count) => {
      const { accountId } = gateway;
      const { database } = gateway.app;
      const moving = await gateway.webhook('https://hooks.example/', { account_ids: '[]' });
      const kind = dialect.name === 'SQLite' ? 'sqlite' : 'postgres';
      await subjects.webhooks(fillingOf(gateway, kind, moving), count);
      await sql`update webhooks set account_ids = '[]'`.execute(database);
      let isEmitting = true;
      const move = async () => {
        for (let place = 0; isEmitting; place += 1) {
          const account_ids = place % 2 === 0 ? JSON.stringify([accountId]) : '[]';
          await database.updateTable('webhooks').set({ account_ids }).where('id', '=', moving).execute();
        }
      };
      const moved = move();
      for (let event = 0; event < 20; event += 1) await gateway.emit(`event ${event}`);
      isEmitting = false;
      await moved;
      const { rows } = await sql<{ count: number }>`
      select count(*) as count from deliveries where webhook_id = ${moving} group by event_id`.execute(database);
      expect(rows.map(({ count }) => Number(count))).toEqual(Array.from({ length: 20 }, () => 1));
    },
  );

  it.runIf(dialect.name === 'Postgres').each([
    ['that is disabled', { enabled: 0 }, ['held']],
    ['that listens no more', { events: '["other"]' }, []],
    ['that is about to be deleted', { workspace_id: 'removed-webhooks' }, []],
  ] as const)('a webhook %s while its event is stored is read anew', async (_, change, states) => {
    const { database } = gateway.app;
    const id = await gateway.webhook('https://hooks.example/');
    await database
      .insertInto('workspaces')
      .values({ id: 'removed-webhooks', name: 'removed', created_at: 0 })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    let emitted: Promise<unknown> = Promise.resolve();
    await database.transaction().execute(async (changing) => {
      await changing.selectFrom('webhooks').select('id').where('id', '=', id).forUpdate().execute();
      emitted = gateway.emit('a');
      await vi.waitFor(async () => {
        const { rows } = await sql`
          select 1 from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(database);
        expect(rows).toHaveLength(1);
      });
      await changing.updateTable('webhooks').set(change).where('id', '=', id).execute();
    });
    await emitted;
    expect((await gateway.deliveries()).map(({ state }) => state)).toEqual(states);
    expect(await database.selectFrom('events').select('event').execute()).toHaveLength(1);
  });

  describe.runIf(dialect.name === 'Postgres')('events that are stored together', () => {
    const emitTo = (accountId: string, idempotencyKey?: string, workspaceId = gateway.space.workspaceId) =>
      gateway.delivery.emit({
        workspaceId,
        accountId,
        accountType: 'PNET',
        source: 'users',
        event: 'new_relation',
        data: {},
        idempotencyKey,
      });
    const listeningTo = (...accountIds: string[]) =>
      gateway.webhook('https://hooks.example/', { account_ids: JSON.stringify(accountIds) });
    /** Until the statements that wait for a lock are as many. */
    const waitForLocks = (count: number) =>
      vi.waitFor(async () => {
        const { rows } = await sql`
          select 1 from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(gateway.app.database);
        expect(rows).toHaveLength(count);
      });

    it('have each its own deliveries, and one key is one event', async () => {
      const webhooks = { a: await listeningTo('a'), b: await listeningTo('b') };
      const emitted = await Promise.all(
        Array.from({ length: 100 }, async (_, n) => {
          const account = n % 2 === 0 ? 'a' : 'b';
          return { account, ...(await emitTo(account, n < 90 ? undefined : `key ${account}`)) } as const;
        }),
      );
      const stored = new Map((await gateway.deliveries()).map((delivery) => [delivery.id, delivery]));
      expect(stored.size).toBe(92);
      for (const { account, eventId, deliveries } of emitted) {
        const [id = '', ...others] = deliveries;
        expect(others).toEqual([]);
        expect(stored.get(id)).toMatchObject({ event_id: eventId, webhook_id: webhooks[account], state: 'pending' });
      }
      expect(emitted.filter(({ repeated }) => repeated)).toHaveLength(8);
    });

    it('go to no webhook that changes after it was read', async () => {
      const { database } = gateway.app;
      const id = await listeningTo('a');
      const emitted = await database.transaction().execute(async (other) => {
        await sql`lock table events in exclusive mode`.execute(other);
        const emitting = emitTo('a');
        await waitForLocks(1);
        await database.updateTable('webhooks').set({ enabled: 0 }).where('id', '=', id).execute();
        return { emitting };
      });
      await emitted.emitting;
      expect((await gateway.deliveries()).map(({ state }) => state)).toEqual(['held']);
    });

    it('wait for no webhook that is locked', async () => {
      const { database } = gateway.app;
      await listeningTo('a');
      const id = await listeningTo('b');
      let locked: Promise<unknown> = Promise.resolve();
      await database.transaction().execute(async (other) => {
        await other.selectFrom('webhooks').select('id').where('id', '=', id).forUpdate().execute();
        const first = emitTo('a');
        locked = emitTo('b');
        await Promise.all([first, emitTo('a')]);
        await waitForLocks(1);
      });
      await locked;
      expect(await gateway.deliveries()).toHaveLength(3);
    });

    it('wait for no key that another transaction has', async () => {
      const { database } = gateway.app;
      const { workspaceId } = gateway.space;
      let repeating: Promise<unknown> = Promise.resolve();
      await database.transaction().execute(async (other) => {
        await lockKey(other, { workspaceId, accountId: 'a' }, 'key');
        const first = emitTo('a');
        repeating = emitTo('a', 'key');
        await Promise.all([first, emitTo('a')]);
        await waitForLocks(1);
      });
      expect(await repeating).toMatchObject({ repeated: false });
    });

    it('do not wait one after the other for what is locked', async () => {
      const statements = vi.spyOn(DefaultQueryExecutor.prototype, 'executeQuery');
      onTestFinished(() => statements.mockRestore());
      await gateway.app.database.transaction().execute(async (other) => {
        await sql`lock table events in exclusive mode`.execute(other);
        const emitted = await Promise.allSettled(Array.from({ length: 40 }, () => emitTo('a')));
        expect(emitted.map(({ status }) => status)).toEqual(emitted.map(() => 'rejected'));
      });
      expect(statements.mock.calls.filter(([query]) => query.sql.startsWith('with new_event'))).toHaveLength(1);
    });

    it('have each the trace of its own request', async () => {
      const { notifications, storedBytes } = gateway.delivery;
      const traces = new AsyncLocalStorage<string>();
      const tracer = { headers: () => ({ traceparent: traces.getStore() }) } as unknown as NonNullable<
        Telemetry['tracer']
      >;
      const telemetry = { tracer, metrics: null };
      const emit = createEmit({ ...notifications, now: () => gateway.clock.now, randomBytes, storedBytes, telemetry });
      const { workspaceId } = gateway.space;
      const emission = {
        workspaceId,
        accountId: 'a',
        accountType: 'PNET',
        source: 'users',
        event: 'new_relation',
      } as const;
      const emitted = await Promise.all(
        ['one', 'two', 'three'].map((trace) =>
          traces.run(trace, async () => [(await emit({ ...emission, data: {} })).eventId, trace]),
        ),
      );
      const events = await gateway.app.database.selectFrom('events').select(['id', 'traceparent']).execute();
      expect(new Map(events.map(({ id, traceparent }) => [id, traceparent]))).toEqual(
        new Map(emitted as [string, string][]),
      );
    });

    it('wait for no event of another workspace', async () => {
      const { database } = gateway.app;
      await database.insertInto('workspaces').values({ id: 'other', name: 'other', created_at: 0 }).execute();
      await emitTo('a');
      const event = await database.selectFrom('events').selectAll().executeTakeFirstOrThrow();
      let repeating: Promise<unknown> = Promise.resolve();
      await database.transaction().execute(async (other) => {
        await other
          .insertInto('events')
          .values({ ...event, id: 'other', idempotency_key: 'key' })
          .execute();
        repeating = emitTo('a', 'key');
        await waitForLocks(1);
        await emitTo('b', undefined, 'other');
        await sql`delete from events where id = 'other'`.execute(other);
      });
      expect(await repeating).toMatchObject({ repeated: false });
    });
  });

  it.runIf(dialect.name === 'Postgres')('an event that may be stored is announced with its deliveries', async () => {
    await gateway.webhook('https://hooks.example/');
    const announced: Record<string, string[]> = { deliveries: [], events: [] };
    for (const [kind, ids] of Object.entries(announced)) {
      const listener = { onUpdated: (updated: readonly string[]) => ids.push(...updated), onMissed() {}, onEnd() {} };
      gateway.delivery.notifications.listen(listener, kind as 'deliveries' | 'events');
    }
    const injected = injectFaults();
    injected.loseAnswerTo('with new_event');
    const failure = await gateway.emit('a').catch((error: unknown) => error);
    injected.restore();
    expect(failure).toMatchObject({ outcomeUnknown: true });
    const ids = (await gateway.deliveries()).map(({ id, event_id }) => [id, event_id]);
    expect(ids).toEqual([[...(announced.deliveries ?? []), ...(announced.events ?? [])]]);
  });

  it('follows every change of a webhook, whoever makes it', async () => {
    const { database } = gateway.app;
    const id = await gateway.webhook('https://hooks.example/', {
      account_ids: '["x","y"]',
      events: '["new_relation"]',
    });
    const rowsOf = (...rows: [string, string][]) => rows.map(([event, account_id]) => ({ event, account_id }));
    const own = rowsOf(['', 'x'], ['', 'y'], ['new_relation', 'x'], ['new_relation', 'y']);
    expect(new Set(await listeners())).toEqual(new Set(own));
    await database
      .updateTable('webhooks')
      .set({ account_ids: '[]', events: '["a","a"]' })
      .where('id', '=', id)
      .execute();
    expect(new Set(await listeners())).toEqual(new Set(rowsOf(['', ''], ['a', ''])));
    expect(await receivers()).toEqual([]);
    await database.updateTable('webhooks').set({ events: '["new_relation"]' }).where('id', '=', id).execute();
    expect(await receivers()).toEqual([id]);
    await database.deleteFrom('webhooks').where('id', '=', id).execute();
    expect(await listeners()).toEqual([]);
  });
});
