import { type Kysely, sql } from 'kysely';

/** Idempotency keys are per account; `''` stands for no account, as a unique index counts each null as different. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.dropIndex('events_by_idempotency_key').execute();
  await db.schema
    .createIndex('events_by_idempotency_key')
    .on('events')
    .columns(['workspace_id', 'idempotency_key'])
    .expression(sql`coalesce(account_id, '')`)
    .unique()
    .execute();
}
