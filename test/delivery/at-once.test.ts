/** Deliveries that need not wait are claimed as they are stored: nobody looks for them in the queue. */
import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createEmit, type Emission, eventRow, newDelivery } from '../../src/delivery/emit.ts';
import { faults, injectFaults } from '../support/database-faults.ts';
import { databases } from '../support/databases.ts';
import { type DeliveringGateway, startDelivering } from '../support/deliveries.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

/** Notes deliveries that are claimed later than they are stored. */
const notes = {
  SQLite: [
    `create trigger note_claims after update of claim_token on deliveries
      when new.claim_token is not null begin insert into claims values (new.id); end`,
  ],
  Postgres: [
    `create function note_claim() returns trigger language plpgsql as $$
      begin insert into claims values (new.id); return null; end $$`,
    `create trigger note_claims after update of claim_token on deliveries
      for each row when (new.claim_token is not null) execute function note_claim()`,
  ],
};

describe.each(databases)('on $name', (dialect) => {
  let gateway: DeliveringGateway;
  let receiver: Receiver;
  let webhookId: string;
  const run = (statement: string) => sql.raw(statement).execute(gateway.app.database);
  const claims = async () => (await run('select id from claims')).rows.length;
  const states = async () => (await gateway.deliveries()).map(({ state }) => state).sort();

  beforeEach(async () => {
    const limits = { slots: 4, firstSlots: 4, slowAfterMs: 60_000, bytes: 16_000 };
    const delivery = { limits, pollMs: 60_000, takesNew: true };
    [gateway, receiver] = await Promise.all([startDelivering({ dialect, delivery }), startReceiver()]);
    webhookId = await gateway.webhook(receiver.address);
    for (const statement of ['create table claims (id text)', ...notes[dialect.name]]) await run(statement);
    await gateway.emit('first');
    await gateway.delivery.worker.idle();
    expect(await claims()).toBe(1);
  });
  afterEach(() => Promise.all([gateway.close(), receiver.close()]));

  it('a destination that has answered gets the next events as they are stored', async () => {
    for (const n of ['second', 'third']) {
      await gateway.emit(n);
      await gateway.delivery.worker.idle();
    }
    expect(await claims()).toBe(1);
    expect(receiver.received.map(({ body }) => JSON.parse(body).n).sort()).toEqual(['first', 'second', 'third']);
    const settled = { state: 'succeeded', attempts: 1, claim_token: null, next_at: 0 };
    expect(await gateway.deliveries()).toMatchObject([settled, settled, settled]);
  });

  it.each([
    ['a webhook that was changed', `update webhooks set name = 'other'`],
    ['a destination that fails', 'update webhook_destinations set failing_since = 1, failed_attempts = 1'],
  ])('the delivery to %s waits in the queue', async (_, change) => {
    await run(change);
    await gateway.emit('second');
    await gateway.delivery.worker.idle();
    expect(await claims()).toBe(2);
    expect(await states()).toEqual(['succeeded', 'succeeded']);
  });

  it('nothing is sent to a destination that is paused', async () => {
    await run(`update webhook_destinations set paused_until = ${gateway.clock.now.getTime() + 60_000}`);
    await gateway.emit('second');
    await gateway.delivery.worker.idle();
    expect(await states()).toEqual(['pending', 'succeeded']);
    expect(await claims()).toBe(1);
  });

  const emission = (): Emission => ({
    workspaceId: gateway.space.workspaceId,
    accountId: gateway.accountId,
    accountType: 'PNET',
    source: 'users',
    event: 'new_relation',
    data: { user_full_name: 'second' },
  });

  it('an event that is not stored gives its requests to those that wait', async () => {
    const taken = await gateway.delivery.worker.takeNew();
    const take = (id: string) => taken.take({ webhookId, revision: 0 }, eventRow(emission(), 'event', 0), id);
    expect([take('a'), take('b')]).not.toContain(null);
    const open: ServerResponse[] = [];
    receiver.answer = (_request, response) => void open.push(response);
    for (const n of ['second', 'third']) await gateway.emit(n);
    await receiver.waitFor(3);
    await gateway.emit('fourth');
    await vi.waitUntil(async () => (await claims()) === 4);
    // Until the worker has what it has claimed, and no request for it.
    await setTimeout(100);
    taken.dropped(false);
    // The open requests end later, by their deadline.
    await vi.waitUntil(() => receiver.received.length === 4, { timeout: 5_000 });
    for (const response of open) response.end();
  });

  it('one event takes no more payloads at once than a claim', async () => {
    await gateway.webhook(receiver.address);
    await gateway.emit('second');
    await gateway.delivery.worker.idle();
    const before = await claims();
    await gateway.emit('n'.repeat(1_500));
    await gateway.delivery.worker.idle();
    expect(await claims()).toBe(before + 1);
  });

  it('an event is stored while the time of the queue cannot be told', async () => {
    const { notifications, storedBytes } = gateway.delivery;
    const takeNew = () => Promise.reject(new Error('no connection is free'));
    const emit = createEmit({ ...notifications, now: () => gateway.clock.now, randomBytes, storedBytes, takeNew });
    await emit(emission());
    await gateway.delivery.worker.idle();
    expect(await states()).toEqual(['succeeded', 'succeeded']);
  });

  it.runIf(dialect.name === 'Postgres')('what took long to store is looked at once more', async () => {
    const { database } = gateway.app;
    const rolledBack = new Error('The other event is not stored');
    let emitted: Promise<unknown> = Promise.resolve();
    const storing = database.transaction().execute(async (other) => {
      const event = await other.selectFrom('events').selectAll().executeTakeFirstOrThrow();
      await other
        .insertInto('events')
        .values({ ...event, id: 'other', idempotency_key: 'key' })
        .execute();
      emitted = gateway.emit('second', 'key');
      await vi.waitFor(async () => {
        const waits = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
        expect((await run(waits)).rows).toHaveLength(1);
      });
      await run('update webhooks set enabled = 0');
      await setTimeout(100);
      throw rolledBack;
    });
    await expect(storing).rejects.toBe(rolledBack);
    await emitted;
    await gateway.delivery.worker.idle();
    expect(await states()).toEqual(['held', 'succeeded']);
    expect(receiver.received).toHaveLength(1);
  });

  it('what is stored after its connection was lost is sent before its lease ends', async () => {
    const { worker } = gateway.delivery;
    const taken = await worker.takeNew();
    const event = eventRow(emission(), 'event', gateway.clock.now.getTime());
    const columns = taken.take({ webhookId, revision: 0 }, event, 'late');
    taken.dropped(true);
    await worker.idle();
    const { database } = gateway.app;
    await database.insertInto('events').values(event).execute();
    const delivery = { ...newDelivery(event, webhookId, 'late'), ...columns };
    await database.insertInto('deliveries').values(delivery).execute();
    await worker.idle();
    expect(await states()).toEqual(['succeeded', 'succeeded']);
  });

  it('what may be stored is sent before its lease ends', async () => {
    const announced: string[] = [];
    const listener = { onUpdated: (ids: readonly string[]) => announced.push(...ids), onMissed() {}, onEnd() {} };
    gateway.delivery.notifications.listen(listener, 'events');
    const injected = injectFaults();
    if (dialect.name === 'Postgres') injected.loseAnswerTo('with new_delivery');
    else injected.failCommitAfter('insert into "events"', faults.SQLite[4]);
    const failure = await gateway.emit('second').catch((error: unknown) => error);
    injected.restore();
    expect(failure).toMatchObject({ outcomeUnknown: true });
    expect(announced).toHaveLength(1);
    await gateway.delivery.worker.idle();
    expect(new Set(await states())).toEqual(new Set(['succeeded']));
  });
});
