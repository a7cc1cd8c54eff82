import { type Kysely, SqliteAdapter, sql } from 'kysely';

export const worksFrom = '011_queue_indexes';

/** Bytes of events by workspace and day, so that the sum of a workspace is few rows. Events from before count nothing. */
export async function up(db: Kysely<never>): Promise<void> {
  const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter;
  await db.schema
    .createTable('stored_bytes')
    .addColumn('workspace_id', 'text', (column) => column.notNull())
    .addColumn('day', 'bigint', (column) => column.notNull())
    .addColumn('bytes', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('stored_bytes_key', ['workspace_id', 'day'])
    .$call((table) => (isSqlite ? table.modifyEnd(sql`without rowid`) : table))
    .execute();
}
