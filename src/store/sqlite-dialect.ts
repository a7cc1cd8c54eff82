/** Kysely's dialect on `node:sqlite`, in the calling thread. */
import { type Dialect, SqliteAdapter, SqliteDialect } from 'kysely';
import type { OnFault } from './faults.ts';
import { SqliteCompiler } from './long-lists.ts';
import { openSqlite } from './sqlite.ts';

export function sqliteDialect(file: string, onFault: OnFault = () => undefined): Dialect {
  return new TransactionalDdlDialect({ database: async () => openSqlite(file, onFault) });
}

/** SQLite rolls back schema changes with their transaction, on which the migrations rely; Kysely's adapter does not. */
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
