/** A turn on a row, where connections to the database are short for a moment. */
import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { ServiceError } from '../../src/kernel/errors.ts';
import { openDatabase } from '../../src/store/database.ts';
import { DatabaseFault } from '../../src/store/faults.ts';
import { createLeases } from '../../src/store/lease.ts';

type Outcome = 'taken' | 'busy' | DatabaseFault;

const short = new DatabaseFault('busy', new Error('All connections are in use'));

/** @param outcomes of the looks at the row, the last one again and again */
async function acquire(outcomes: readonly Outcome[]) {
  const database = await openDatabase({ kind: 'sqlite', file: ':memory:' });
  onTestFinished(() => database.destroy());
  const leases = createLeases(
    'jobs',
    { database, now: () => new Date(), randomBytes, logger: pino({ level: 'silent' }) },
    {
      leaseMs: 8_000,
      waitMs: 500,
      maxWaiting: 1,
      busy: () => new ServiceError('service_unavailable', { detail: 'Others act on the job.' }),
    },
  );
  let looks = 0;
  const lease = await leases.acquire<never>('job', new AbortController().signal, async () => {
    const outcome = outcomes[Math.min(looks, outcomes.length - 1)] ?? 'taken';
    looks += 1;
    if (outcome instanceof DatabaseFault) throw outcome;
    return outcome;
  });
  lease[Symbol.dispose]();
  return looks;
}

test('who waits for others keeps its turn while connections are short, until its time is up', async () => {
  expect(await acquire(['busy', short, short, 'taken'])).toBe(4);
  await expect(acquire(['busy', short])).rejects.toThrow('Others act on the job.');
});

test('who waits for nobody is told at once that connections are short', async () => {
  await expect(acquire([short, 'taken'])).rejects.toBe(short);
});
