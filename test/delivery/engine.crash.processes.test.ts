/** A short form of `test/bench/delivery-crash.ts`: real processes, killed with SIGKILL while they deliver. */
import { describe, expect, it } from 'vitest';
import { crashRun } from '../support/crash.ts';
import { databases } from '../support/databases.ts';

describe.each(databases)('kill -9 on $name', (dialect) => {
  it('loses no acknowledged event, repeats only deliveries in flight, and does not wait for the leases of the dead', {
    timeout: 90_000,
  }, async () => {
    const { acknowledged, lost, duplicates, inFlight, lateness } = await crashRun(dialect, {
      kills: 4,
      workers: dialect.name === 'Postgres' ? 2 : 1,
      random: Math.random,
      everyMs: [500, 1_500],
      leaseMs: 45_000,
      pauseMs: 20,
    });
    // A busy machine takes few.
    expect(acknowledged).toBeGreaterThan(5);
    expect(lost).toBe(0);
    expect(duplicates).toBeLessThanOrEqual(inFlight);
    expect(lateness.max).toBeLessThan(20_000);
  });
});
