import type { Kysely } from 'kysely';

export const worksFrom = '011_queue_indexes';

/** Progress of holding a webhook's pending deliveries, of which there may be millions. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable('pending_holds')
    .addColumn('webhook_id', 'text', (column) => column.notNull().references('webhooks.id').onDelete('cascade'))
    .addColumn('through_created_at', 'bigint', (column) => column.notNull())
    .addColumn('through_id', 'text', (column) => column.notNull())
    .addColumn('account_ids', 'text', (column) => column.notNull())
    .addColumn('held_created_at', 'bigint', (column) => column.notNull())
    .addColumn('held_id', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('pending_holds_key', ['webhook_id', 'through_created_at', 'through_id', 'account_ids'])
    .execute();
}
