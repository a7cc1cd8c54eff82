import type { Kysely } from 'kysely';

/** The index of claimed deliveries is as small as what is in flight. */
export async function up(db: Kysely<never>): Promise<void> {
  // `as never`: Kysely knows no columns of a schema under construction.
  await db.schema
    .createIndex('deliveries_claimed')
    .on('deliveries')
    .column('claim_token')
    .where('claim_token' as never, 'is not', null)
    .execute();
}
