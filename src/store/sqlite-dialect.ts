/** Kysely's dialect on `node:sqlite`, in the calling thread. */
import { type Dialect, SqliteAdapter, type SqliteDatabase, SqliteDialect } from 'kysely';
import { SqliteCompiler } from './query-compilers.ts';

export const sqliteDialect = (database: () => Promise<SqliteDatabase>): Dialect =>
  new TransactionalDdlDialect({ database });

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
