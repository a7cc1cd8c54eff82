import { type Kysely, sql } from 'kysely';

/** A migration has no key to seal with: the gateway creates the secrets of new destinations when it starts. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('endpoints').renameTo('webhook_destinations').execute();
  await db.schema.alterTable('delivery_attempts').renameColumn('answer', 'response_body').execute();
  await sql`update delivery_attempts set failure = 'invalid_response' where failure = 'invalid_answer'`.execute(db);
  await db.schema.alterTable('deliveries').renameColumn('claim', 'claim_token').execute();

  await db.schema.alterTable('idempotent_answers').renameTo('idempotent_responses').execute();
  await db.schema.dropIndex('idempotent_answers_by_expiry').execute();
  await db.schema
    .createIndex('idempotent_responses_by_expiry')
    .on('idempotent_responses')
    .column('expires_at')
    .execute();
}
