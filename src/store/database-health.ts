/** Health of the database: it responds, is undamaged and writable, and has a schema that this gateway knows. */
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { sharedCheck } from '../kernel/lib/shared-check.ts';
import { lastOf, requireCompatible } from './compatibility.ts';
import type { Database, DatabaseLocation } from './database.ts';
import { openDatabaseFile } from './database-file.ts';
import { DatabaseFault, sqliteFault } from './faults.ts';
import { migrations } from './migrations/index.ts';

/** Life of a successful write check, in milliseconds: readiness is asked without a key. */
const writtenMs = 5_000;

const lastingMessages = {
  damaged: 'the database is damaged: restore a backup',
  replaced: 'the files of the database are gone: nothing is written until the gateway is started again',
} as const;

export interface DatabaseHealth {
  onFault(fault: DatabaseFault): void;
  /**
   * A {@link sharedCheck}, except that damage and replaced files count at once and for good.
   * @throws DatabaseFault; SchemaTooNew when a newer gateway has contracted the schema
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

/**
 * Reads every table and writes a row, on a connection of its own: others remember what they have read.
 * A locked file counts as writable. @throws DatabaseFault when it is damaged, full, read-only or gone
 */
function checkSqlite(file: string, write: string): void {
  try {
    const database = openDatabaseFile(file, { access: 'write', timeout: 0 });
    try {
      database.exec('pragma synchronous = full');
      const tables = database.prepare("select name from sqlite_schema where type = 'table'").all();
      for (const { name } of tables) database.prepare(`select * from "${name}" limit 1`).get();
      database.exec(write);
    } finally {
      database.close();
    }
  } catch (error) {
    const fault = sqliteFault(error);
    if (!(fault instanceof DatabaseFault) || fault.reason !== 'slow') throw fault;
  }
}
