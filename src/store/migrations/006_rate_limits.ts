import type { Kysely } from 'kysely';

export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable('rate_limits')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('full_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('rate_limits_by_time').on('rate_limits').column('full_at').execute();
}
