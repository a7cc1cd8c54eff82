/** Whether the database can be used: it responds, is not damaged, and can be written to. */
import { sql } from 'kysely';
import { type Database, type DatabaseLocation, ping } from './database.ts';
import type { DatabaseFault } from './faults.ts';
import { checkSqlite } from './sqlite-health.ts';

/** How long a database that was written to counts as one that can be, in milliseconds: who asks needs no key. */
const writtenMs = 5_000;

export interface DatabaseHealth {
  /** Notes what has happened to a statement. */
  onFault(fault: DatabaseFault): void;
  /**
   * Requests that ask at the same time get one check.
   * @throws DatabaseFault when the database cannot be used. Damage is not forgotten while the process lives.
   */
  check(): Promise<void>;
}

export function databaseHealth(database: () => Database, location: DatabaseLocation, now: () => Date): DatabaseHealth {
  let damage: DatabaseFault | null = null;
  let writtenAt = Number.NEGATIVE_INFINITY;
  let current: Promise<void> | null = null;

  async function write(): Promise<void> {
    const value = String(now().getTime());
    const statement = `insert into deployment (name, value) values ('written', '${value}')
      on conflict (name) do update set value = excluded.value`;
    if (location.kind === 'sqlite' && location.file !== ':memory:') checkSqlite(location.file, statement);
    else await sql.raw(statement).execute(database());
  }
  async function check(): Promise<void> {
    if (damage !== null) throw damage;
    const startedAt = performance.now();
    if (startedAt - writtenAt < writtenMs) return ping(database());
    await write();
    writtenAt = startedAt;
  }
  return {
    onFault(fault) {
      if (fault.reason === 'damaged') damage ??= fault;
    },
    check() {
      current ??= check().finally(() => {
        current = null;
      });
      return current;
    },
  };
}
