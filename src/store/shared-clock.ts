/**
 * The time of the queue, which all processes have to agree on: who is ahead takes claims of others for ended, and sends what
 * they are sending; who is behind waits. On Postgres it is the server's; on a SQLite file the machine's.
 */

import { sql } from 'kysely';
import type { Database } from './database.ts';
import { isPostgres } from './is-postgres.ts';

/** Epoch milliseconds. @throws DatabaseFault while it cannot be told */
export type SharedClock = () => Promise<number>;

/** Until the clocks are compared again, in milliseconds. */
const comparedMs = 60_000;

/** Clocks that are so far apart, in milliseconds, are left as they are: leases are much longer. */
const toleratedMs = 1_000;

interface SharedClockOptions {
  readonly database: Database;
  readonly now: () => Date;
  /** The machine's clock, which `now` is not in tests. */
  readonly wall?: (() => number) | undefined;
}

/** By the distance from the clock of this process, measured now and then, and as soon as that clock jumps. */
export function createSharedClock({ database, now, wall = Date.now }: SharedClockOptions): SharedClock {
  if (!isPostgres(database)) return async () => now().getTime();
  let known: { readonly offset: number; readonly at: number; readonly wall: number } | null = null;
  let comparing: Promise<void> | null = null;

  async function compare(): Promise<void> {
    const began = performance.now();
    const { rows } = await sql<{ time: number }>`
      select cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as time`.execute(database);
    const at = performance.now();
    const time = wall();
    // Halfway there, as far as this can be known.
    const offset = (rows[0]?.time ?? time) - (time - (at - began) / 2);
    known = { offset: Math.abs(offset) < toleratedMs ? 0 : Math.round(offset), at, wall: time };
  }

  function isKnown(): boolean {
    if (known === null) return false;
    const passed = performance.now() - known.at;
    return passed < comparedMs && Math.abs(wall() - known.wall - passed) < toleratedMs;
  }

  return async () => {
    while (!isKnown()) {
      comparing ??= compare().finally(() => {
        comparing = null;
      });
      await comparing;
    }
    return now().getTime() + (known?.offset ?? 0);
  };
}
