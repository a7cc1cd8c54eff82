/** Kysely's dialect on `node:sqlite`, in the thread that calls it. */
import { type Dialect, SqliteAdapter, SqliteDialect } from 'kysely';
import type { OnFault } from './faults.ts';
import { SqliteCompiler } from './long-lists.ts';
import { openSqlite } from './sqlite.ts';

/** @param file as {@link openSqlite} takes it */
export function sqliteDialect(file: string, onFault: OnFault = () => undefined): Dialect {
  return new TransactionalDdlDialect({ database: async () => openSqlite(file, onFault) });
}

/** SQLite rolls back schema changes with their transaction. Kysely's adapter does not rely on that; the migrations do. */
class TransactionalDdlDialect extends SqliteDialect {
  override createQueryCompiler(): SqliteCompiler {
    return new SqliteCompiler();
  }

  override createAdapter(): SqliteAdapter {
    return new TransactionalDdlAdapter();
  }
}

export class TransactionalDdlAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}
