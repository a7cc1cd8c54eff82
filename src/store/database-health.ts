/** Health of the database: it responds, is undamaged and writable, and has a schema that this gateway knows. */
import { CompiledQuery } from 'kysely';
import type { Logger } from 'pino';
import { sharedCheck } from '../kernel/lib/shared-check.ts';
import { lastOf, requireCompatible } from './compatibility.ts';
import type { Database } from './database.ts';
import type { DatabaseFault } from './faults.ts';
import { migrations } from './migrations/index.ts';
import { ThreadedConnection } from './sqlite-threads.ts';

/** Life of a successful write check, in milliseconds: readiness is asked without a key. */
const writtenMs = 5_000;

const lastingMessages = {
  damaged: 'the database is damaged: restore a backup',
  replaced: 'the files of the database are gone: nothing is written until the gateway is started again',
} as const;

export function databaseHealth(
  database: () => Database,
  { now, logger }: { readonly now: () => Date; readonly logger: Logger },
) {
  let lasting: DatabaseFault | null = null;
  let writtenAt = Number.NEGATIVE_INFINITY;

  async function write(): Promise<void> {
    const value = String(now().getTime());
    const statement = `insert into deployment (name, value) values ('written', '${value}')
      on conflict (name) do update set value = excluded.value`;
    await database()
      .getExecutor()
      .provideConnection(async (connection) => {
        if (connection instanceof ThreadedConnection) await connection.check(statement);
        else await connection.executeQuery(CompiledQuery.raw(statement));
      });
  }
  const check = sharedCheck(async () => {
    const startedAt = performance.now();
    await requireCompatible(database(), lastOf(migrations));
    if (startedAt - writtenAt < writtenMs) return;
    await write();
    writtenAt = startedAt;
  });
  return {
    onFault(fault: DatabaseFault) {
      if (lasting !== null || !(fault.reason === 'damaged' || fault.reason === 'replaced')) return;
      lasting = fault;
      logger.error({ err: fault.cause }, lastingMessages[fault.reason]);
    },
    /**
     * A {@link sharedCheck}, except that damage and replaced files count at once and for good.
     * @throws DatabaseFault; SchemaTooNew when a newer gateway has contracted the schema
     */
    async check() {
      if (lasting !== null) throw lasting;
      await check();
      if (lasting !== null) throw lasting;
    },
  };
}
