/** Whether the database can be used: it responds, is not damaged, can be written to, and this gateway knows its schema. */
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { sharedCheck } from '../kernel/lib/shared-check.ts';
import { lastOf, requireCompatible } from './compatibility.ts';
import type { Database, DatabaseLocation } from './database.ts';
import type { DatabaseFault } from './faults.ts';
import { migrations } from './migrations/index.ts';
import { checkSqlite } from './sqlite-health.ts';

/** How long a database that was written to counts as one that can be, in milliseconds: who asks needs no key. */
const writtenMs = 5_000;

const lastingMessages = {
  damaged: 'the database is damaged: restore a backup',
  replaced: 'the files of the database are gone: nothing is written until the gateway is started again',
} as const;

export interface DatabaseHealth {
  /** Notes what has happened to a statement. */
  onFault(fault: DatabaseFault): void;
  /**
   * A {@link sharedCheck}, except that damage counts at once, as do files that were replaced.
   * @throws DatabaseFault when the database cannot be used. Neither of these is forgotten while the process lives.
   * @throws SchemaTooNew when a newer gateway has changed the schema so far that this one cannot work with it
   */
  check(): Promise<void>;
}

export function databaseHealth(
  database: () => Database,
  location: DatabaseLocation,
  { now, logger }: { readonly now: () => Date; readonly logger: Logger },
): DatabaseHealth {
  let lasting: DatabaseFault | null = null;
  let writtenAt = Number.NEGATIVE_INFINITY;

  async function write(): Promise<void> {
    const value = String(now().getTime());
    const statement = `insert into deployment (name, value) values ('written', '${value}')
      on conflict (name) do update set value = excluded.value`;
    if (location.kind === 'sqlite' && location.file !== ':memory:') checkSqlite(location.file, statement);
    else await sql.raw(statement).execute(database());
  }
  const check = sharedCheck(async () => {
    const startedAt = performance.now();
    await requireCompatible(database(), lastOf(migrations));
    if (startedAt - writtenAt < writtenMs) return;
    await write();
    writtenAt = startedAt;
  });
  return {
    onFault(fault) {
      if (lasting !== null || !(fault.reason === 'damaged' || fault.reason === 'replaced')) return;
      lasting = fault;
      logger.error({ err: fault.cause }, lastingMessages[fault.reason]);
    },
    async check() {
      if (lasting !== null) throw lasting;
      await check();
      if (lasting !== null) throw lasting;
    },
  };
}
