import type { Kysely } from 'kysely';

/**
 * Tables and columns take the names that the code has for them. A destination now exists as long as its webhook does: the
 * secrets of webhooks without one are created at the start of the gateway, because a migration has no key to seal them.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('endpoints').renameTo('webhook_destinations').execute();
  await db.schema.alterTable('delivery_attempts').renameColumn('answer', 'response_body').execute();
  await db.schema.alterTable('deliveries').renameColumn('claim', 'claim_token').execute();

  await db.schema.alterTable('idempotent_answers').renameTo('idempotent_responses').execute();
  await db.schema.dropIndex('idempotent_answers_by_expiry').execute();
  await db.schema
    .createIndex('idempotent_responses_by_expiry')
    .on('idempotent_responses')
    .column('expires_at')
    .execute();
}
