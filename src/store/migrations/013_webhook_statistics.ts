import { type Kysely, SqliteAdapter, sql } from 'kysely';

export const worksFrom = '011_queue_indexes';

/** Statistics begin here: counting earlier attempts would mean reading all of them. */
export async function up(db: Kysely<never>): Promise<void> {
  const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter;
  await db.schema
    .createTable('webhook_statistics')
    .addColumn('webhook_id', 'text', (column) => column.notNull().references('webhooks.id').onDelete('cascade'))
    .addColumn('span_ms', 'bigint', (column) => column.notNull())
    .addColumn('starts_at', 'bigint', (column) => column.notNull())
    .addColumn('succeeded', 'integer', (column) => column.notNull())
    .addColumn('within_ms', 'integer', (column) => column.notNull())
    .addColumn('attempts', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('webhook_statistics_key', ['webhook_id', 'span_ms', 'starts_at', 'succeeded', 'within_ms'])
    .$call((table) => (isSqlite ? table.modifyEnd(sql`without rowid`) : table))
    .execute();
  await db.schema
    .createIndex('webhook_statistics_by_age')
    .on('webhook_statistics')
    .columns(['span_ms', 'starts_at'])
    .execute();

  await db.schema
    .createTable('notice_receivers')
    .addColumn('workspace_id', 'text', (column) => column.notNull())
    .addColumn('webhook_id', 'text', (column) => column.notNull().references('webhooks.id').onDelete('cascade'))
    .addPrimaryKeyConstraint('notice_receivers_key', ['workspace_id', 'webhook_id'])
    .execute();
  await db.schema.createIndex('notice_receivers_by_webhook').on('notice_receivers').column('webhook_id').execute();
  await db.schema
    .createTable('pending_notices')
    .addColumn('webhook_id', 'text', (column) => column.notNull().references('webhooks.id').onDelete('cascade'))
    .addColumn('disabled_at', 'bigint', (column) => column.notNull())
    .addColumn('reason', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('pending_notices_key', ['webhook_id', 'disabled_at'])
    .execute();
}
