/** What is not known of the deliveries in the database is not shown. */
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { startBacklog } from '../../src/delivery/observed-backlog.ts';
import { openDatabase } from '../../src/store/database.ts';
import type { Metrics } from '../../src/telemetry/telemetry.ts';

test('ages are absent once the deliveries cannot be counted', async () => {
  const database = await openDatabase({ kind: 'sqlite', file: ':memory:' });
  const clock = { ms: 0 };
  const read = new Map<string, () => unknown>();
  const metrics = {
    observe: (name: string, values: () => unknown) => void read.set(name, values),
  } as unknown as Metrics;
  const started = { metrics, now: () => new Date(), logger: pino({ level: 'silent' }), clock: () => clock.ms };

  const backlog = startBacklog(database, { kind: 'sqlite', file: ':memory:' }, started);
  const age = () => read.get('postern.delivery.oldest_due.age')?.();
  await expect.poll(age).toEqual([[0, {}]]);
  await database.destroy();
  clock.ms = 60_000;
  await expect.poll(age).toEqual([]);
  await backlog.close();
});
