/** Old events are deleted: which of them, in which steps, and how fast. */
import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startRetention } from '../../src/delivery/retention.ts';
import { creationBeyond, deleteStep, firstPosition } from '../../src/delivery/retention-step.ts';
import { newId } from '../../src/kernel/ids.ts';
import { type After, afterTimeout } from '../../src/kernel/lib/after.ts';
import { createTroubles } from '../../src/kernel/troubles.ts';
import type { CreationPosition } from '../../src/store/keyset.ts';
import type { EventTable } from '../../src/store/schema.ts';
import { databases } from '../support/databases.ts';
import { type DeliveringGateway, startDelivering } from '../support/deliveries.ts';

const day = 24 * 3_600_000;

describe.each(databases)('retention on $name', (dialect) => {
  let gateway: DeliveringGateway;

  /** Stores events that were created so long ago, one millisecond after the other, the oldest first. */
  const store = async (count: number, ageMs: number): Promise<string[]> => {
    const first = gateway.clock.now.getTime() - ageMs;
    const rows = Array.from(
      { length: count },
      (_, n): EventTable => ({
        id: newId(randomBytes),
        workspace_id: gateway.space.workspaceId,
        account_id: null,
        account_type: null,
        source: 'users',
        event: 'new_relation',
        data: '{}',
        idempotency_key: null,
        fingerprint: '',
        created_at: first + n,
      }),
    );
    for (let at = 0; at < count; at += 500) {
      await gateway.app.database
        .insertInto('events')
        .values(rows.slice(at, at + 500))
        .execute();
    }
    return rows.map(({ id }) => id);
  };
  /** Makes a delivery of each event to a webhook. */
  const deliver = async (webhook_id: string, events: readonly string[], state: string) => {
    const rows = events.map((event_id) => ({
      id: newId(randomBytes),
      workspace_id: gateway.space.workspaceId,
      webhook_id,
      event_id,
      account_id: null,
      event: 'new_relation',
      state,
      attempts: 1,
      attempts_before: 0,
      next_at: 0,
      claim_token: null,
      created_at: 0,
      finished_at: null,
    }));
    await gateway.app.database.insertInto('deliveries').values(rows).execute();
  };
  const left = async () => {
    const rows = await gateway.app.database.selectFrom('events').select('id').orderBy('created_at').execute();
    return rows.map(({ id }) => id);
  };
  const count = async () => {
    const { database } = gateway.app;
    const counted = database.selectFrom('events').select(({ fn }) => fn.countAll<number>().as('count'));
    return (await counted.executeTakeFirstOrThrow()).count;
  };
  /** Makes steps to the end. @returns how many events each of them deleted */
  const sweep = async (size: number): Promise<number[]> => {
    const deleted: number[] = [];
    let from: CreationPosition | null = firstPosition;
    while (from !== null) {
      const before = gateway.clock.now.getTime() - day;
      const step: Awaited<ReturnType<typeof deleteStep>> = await deleteStep(
        gateway.app.database,
        { before, from, size },
        () => performance.now(),
      );
      deleted.push(step.deletedEvents);
      from = step.next;
    }
    return deleted;
  };

  beforeEach(async () => {
    // Retention of its own, and workers, do nothing meanwhile.
    gateway = await startDelivering({ dialect, delivery: { limits: { slots: 0 }, after: () => () => {} } });
  });
  afterEach(() => gateway.close());

  it('deletes events that are old, unless a delivery is pending', async () => {
    const webhook = await gateway.webhook('https://hooks.example/');
    const [waiting = '', ...old] = await store(7, 2 * day);
    const young = await store(2, day / 2);
    await deliver(webhook, [waiting], 'pending');
    await deliver(await gateway.webhook('https://hooks.example/other'), [waiting, ...old], 'held');
    expect(await sweep(3)).toEqual([2, 3, 1]);
    expect(await left()).toEqual([waiting, ...young]);
    expect(await gateway.deliveries()).toHaveLength(2);
  });

  it('takes several steps for an event of many deliveries', async () => {
    const [event = ''] = await store(1, 2 * day);
    for (let n = 0; n < 8; n += 1) await deliver(await gateway.webhook('https://hooks.example/'), [event], 'succeeded');
    expect(await sweep(3)).toEqual([0, 0, 1]);
    expect(await gateway.deliveries()).toEqual([]);
  });

  it('finds the oldest of the newest events', async () => {
    const start = gateway.clock.now.getTime() - day;
    await store(10, day);
    const { database } = gateway.app;
    const beyond = async (keep: number) => {
      const counting = creationBeyond(database, keep, 0);
      for (;;) {
        const { done, value } = await counting.next();
        if (done) return value;
      }
    };
    expect([await beyond(3), await beyond(10), await beyond(11)]).toEqual([start + 7, start, 0]);
  });

  it('pauses after ten thousand events, and counts on', async () => {
    const start = gateway.clock.now.getTime() - day;
    await store(10_100, day);
    const counting = creationBeyond(gateway.app.database, 10_050, 30);
    for (let steps = 0; steps < 2; steps += 1) expect(await counting.next()).toEqual({ done: false, value: 30 });
    expect(await counting.next()).toEqual({ done: true, value: start + 50 });
  });

  const start = (maxEvents: number, after: After) =>
    startRetention({
      database: gateway.app.database,
      retentionDays: 1,
      maxEvents,
      now: () => gateway.clock.now,
      clock: () => performance.now(),
      after,
      troubles: createTroubles(pino({ level: 'error' })),
    });

  it('stops in the middle of a sweep', async () => {
    const events = [...(await store(300, 2 * day)), ...(await store(1, 0))];
    const pauses: (() => void)[] = [];
    const retention = start(0, (_ms, work) => {
      pauses.push(work);
      return () => pauses.splice(0);
    });
    await expect.poll(() => pauses).toHaveLength(1);
    pauses.pop()?.();
    await expect.poll(() => pauses).toHaveLength(1);
    await retention.close();
    expect(pauses).toEqual([]);
    expect(await left()).toEqual(events.slice(100));
  });

  it('forgets the bytes of days of which no event is left', async () => {
    const { database } = gateway.app;
    await store(1, 0);
    const today = Math.floor(gateway.clock.now.getTime() / day);
    const row = { workspace_id: gateway.space.workspaceId, bytes: 1 };
    const forGood = 2 ** 31 - 1;
    await database
      .insertInto('stored_bytes')
      .values([today - 1, today, forGood].map((of) => ({ ...row, day: of })))
      .execute();
    const retention = start(0, afterTimeout);
    const days = async () => {
      const rows = await database.selectFrom('stored_bytes').select('day').orderBy('day').execute();
      return rows.map((stored) => Number(stored.day));
    };
    await expect.poll(days).toEqual([today, forGood]);
    await retention.close();
  });

  it('does not believe a clock that is far ahead of the newest event at the start', async () => {
    const events = await store(10, day / 2);
    const { clock } = gateway;
    const right = clock.now;
    clock.now = new Date(right.getTime() + 60 * day);
    const works: (() => void)[] = [];
    const retention = start(0, (_ms, work) => {
      works.push(work);
      return () => {};
    });
    const waits = [];
    for (let runs = 0; runs < 4; runs += 1) {
      await expect.poll(() => works).toHaveLength(1);
      waits.push(await left());
      works.pop()?.();
    }
    await retention.close();
    clock.now = right;
    expect(waits).toEqual(Array.from({ length: 4 }, () => events));
  });

  it('keeps up: 10,000 old events are gone in seconds, and those beyond a limit, too', {
    timeout: 30_000,
  }, async () => {
    await store(10_000, 2 * day);
    const young = await store(150, day / 2);
    const retention = start(100, afterTimeout);
    await expect.poll(count).toBe(100);
    expect(await left()).toEqual(young.slice(50));
    await retention.close();
  });
});
