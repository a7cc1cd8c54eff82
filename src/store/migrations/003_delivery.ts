import { type CreateTableBuilder, type Kysely, SqliteAdapter, sql } from 'kysely';

export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable('events')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('workspace_id', 'text', (column) => column.notNull().references('workspaces.id'))
    .addColumn('account_id', 'text')
    .addColumn('account_type', 'text')
    .addColumn('source', 'text')
    .addColumn('event', 'text', (column) => column.notNull())
    .addColumn('data', 'text', (column) => column.notNull())
    .addColumn('idempotency_key', 'text')
    .addColumn('fingerprint', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('events_by_idempotency_key')
    .on('events')
    .columns(['workspace_id', 'idempotency_key'])
    .unique()
    .execute();
  // For retention, which deletes the oldest events first.
  await db.schema.createIndex('events_by_age').on('events').columns(['created_at']).execute();

  await db.schema
    .createTable('deliveries')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('workspace_id', 'text', (column) => column.notNull())
    .addColumn('webhook_id', 'text', (column) => column.notNull().references('webhooks.id').onDelete('cascade'))
    .addColumn('event_id', 'text', (column) => column.notNull().references('events.id').onDelete('cascade'))
    .addColumn('account_id', 'text')
    .addColumn('event', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('attempts_before', 'integer', (column) => column.notNull())
    .addColumn('next_at', 'bigint', (column) => column.notNull())
    .addColumn('claim', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('finished_at', 'bigint')
    .execute();
  // Due deliveries of each webhook. Without finished ones, the index stays as small as the backlog.
  // `as never`: Kysely knows no columns of a schema under construction.
  await db.schema
    .createIndex('deliveries_due')
    .on('deliveries')
    .columns(['webhook_id', 'next_at'])
    .where('state' as never, '=', 'pending')
    .execute();
  await db.schema
    .createIndex('deliveries_by_webhook')
    .on('deliveries')
    .columns(['webhook_id', 'created_at', 'id'])
    .execute();
  await db.schema.createIndex('deliveries_by_event').on('deliveries').columns(['event_id']).execute();

  // SQLite finds a row with one search instead of two.
  const clustered = <T extends string>(table: CreateTableBuilder<T, never>) =>
    db.getExecutor().adapter instanceof SqliteAdapter ? table.modifyEnd(sql`without rowid`) : table;

  await db.schema
    .createTable('delivery_attempts')
    .addColumn('delivery_id', 'text', (column) => column.notNull().references('deliveries.id').onDelete('cascade'))
    .addColumn('number', 'integer', (column) => column.notNull())
    .addColumn('started_at', 'bigint', (column) => column.notNull())
    .addColumn('duration_ms', 'integer', (column) => column.notNull())
    .addColumn('status', 'integer')
    .addColumn('failure', 'text')
    .addColumn('answer', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('delivery_attempts_key', ['delivery_id', 'number'])
    .$call(clustered)
    .execute();

  await db.schema
    .createTable('endpoints')
    .addColumn('webhook_id', 'text', (column) => column.primaryKey().references('webhooks.id').onDelete('cascade'))
    .addColumn('secrets', 'text', (column) => column.notNull())
    .addColumn('secret_shown', 'integer', (column) => column.notNull())
    .addColumn('failing_since', 'bigint')
    .addColumn('paused_until', 'bigint', (column) => column.notNull())
    .addColumn('disabled_reason', 'text')
    .addColumn('disabled_at', 'bigint')
    .execute();
}
