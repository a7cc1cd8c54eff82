/** What is not known of the deliveries in the database is not shown. */
import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startBacklog } from '../../src/delivery/observed-backlog.ts';
import { createTroubles } from '../../src/kernel/troubles.ts';
import { openDatabase } from '../../src/store/database.ts';
import type { Metrics } from '../../src/telemetry/telemetry.ts';
import { databases } from '../support/databases.ts';
import { startDelivering } from '../support/deliveries.ts';

test('ages are absent once the deliveries cannot be counted', async () => {
  const database = await openDatabase({ kind: 'sqlite', file: ':memory:' });
  const clock = { ms: 0 };
  const read = new Map<string, () => unknown>();
  const metrics = {
    observe: (name: string, values: () => unknown) => void read.set(name, values),
  } as unknown as Metrics;
  const started = {
    metrics,
    now: () => new Date(),
    troubles: createTroubles(pino({ level: 'silent' })),
    clock: () => clock.ms,
  };

  const backlog = startBacklog(database, { kind: 'sqlite', file: ':memory:' }, started);
  const age = () => read.get('postern.delivery.oldest_due.age')?.();
  await expect.poll(age).toEqual([[0, {}]]);
  await database.destroy();
  clock.ms = 60_000;
  await expect.poll(age).toEqual([]);
  await backlog.close();
});

interface Situation {
  readonly waitsFor: string;
  readonly delivery?: { readonly state?: string; readonly next_at?: number; readonly claim_token?: string };
  /** Another delivery of the webhook, a second old. */
  readonly other?: Situation['delivery'];
  readonly destination?: { readonly failing_since?: number; readonly paused_until?: number };
  readonly enabled?: 0;
}

const at = Date.parse('2026-07-01T12:00:00Z');
const later = at + 3_600_000;
const situations: Readonly<Record<string, Situation>> = {
  'what is due': { waitsFor: 'due' },
  'a retry whose time has come': { waitsFor: 'due', delivery: { next_at: at } },
  'a lease that nobody ends': { waitsFor: 'due', delivery: { next_at: at - 1, claim_token: 'dead' } },
  'a destination that hangs': { waitsFor: 'behind', other: { next_at: later, claim_token: 'alive' } },
  'a destination that fails': { waitsFor: 'behind', destination: { failing_since: 1 } },
  'a request that is made': { waitsFor: 'sending', delivery: { next_at: later, claim_token: 'alive' } },
  'a retry before its time': { waitsFor: 'retrying', delivery: { next_at: later } },
  'a pause, put aside': { waitsFor: 'paused', delivery: { next_at: later }, destination: { paused_until: later } },
  'a pause, not put aside so far': { waitsFor: 'paused', destination: { paused_until: later } },
  'a disabled webhook': { waitsFor: 'held', enabled: 0 },
  'what is held': { waitsFor: 'held', delivery: { state: 'held' }, enabled: 0 },
};

describe.each(databases)('on $name', (dialect) => {
  test.each(Object.entries(situations))('the oldest delivery is counted for its reason: %s', async (_, situation) => {
    const { waitsFor, delivery = {}, other, destination = {}, enabled = 1 } = situation;
    const place = await dialect.withSchema();
    const gateway = await startDelivering({
      dialect: { withSchema: async () => ({ ...place, drop: async () => undefined }) },
    });
    const id = await gateway.webhook('http://127.0.0.1:9/');
    await gateway.emit('one');
    await gateway.close();
    const database = await openDatabase(place.location);
    onTestFinished(async () => {
      await database.destroy();
      await place.drop();
    });
    await database.updateTable('webhooks').set({ enabled }).where('id', '=', id).execute();
    const healthy = { failing_since: null, paused_until: 0 };
    await database
      .updateTable('webhook_destinations')
      .set({ ...healthy, ...destination })
      .execute();
    const row = await database.selectFrom('deliveries').selectAll().executeTakeFirstOrThrow();
    const plain = { ...row, state: 'pending', next_at: 0, claim_token: null, attempts: 0, finished_at: null };
    await database.deleteFrom('deliveries').execute();
    await database
      .insertInto('deliveries')
      .values({ ...plain, created_at: at - 60_000, ...delivery })
      .execute();
    if (other !== undefined) {
      const event = await database.selectFrom('events').selectAll().executeTakeFirstOrThrow();
      await database
        .insertInto('events')
        .values({ ...event, id: 'other', idempotency_key: null })
        .execute();
      await database
        .insertInto('deliveries')
        .values({ ...plain, id: 'other', event_id: 'other', created_at: at - 1_000, ...other })
        .execute();
    }

    const read = new Map<string, () => Promise<readonly (readonly [number, { readonly reason?: string }])[]>>();
    const metrics = {
      observe: (name: string, values: never) => void read.set(name, values),
    } as unknown as Metrics;
    const troubles = createTroubles(pino({ level: 'silent' }));
    const backlog = startBacklog(database, place.location, { metrics, now: () => new Date(at), troubles });
    onTestFinished(() => backlog.close());
    const ages = async () => (await read.get('postern.delivery.oldest.age')?.()) ?? [];
    await expect.poll(async () => (await ages()).length).toBe(6);
    expect((await ages()).filter(([age]) => age === 60)).toEqual([[60, { reason: waitsFor }]]);
    const [[due] = []] = (await read.get('postern.delivery.oldest_due.age')?.()) ?? [];
    expect(due).toBe(waitsFor === 'due' ? 60 : 0);
  });
});
