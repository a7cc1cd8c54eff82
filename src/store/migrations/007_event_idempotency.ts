import { type Kysely, sql } from 'kysely';

/**
 * The idempotency keys of events are those of an account, not of a workspace. An event of no account shares its keys with
 * the others of no account: a unique index counts every null as different.
 */
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
