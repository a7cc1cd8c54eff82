import { type Kysely, sql } from 'kysely';

/**
 * What a claim reads are only the deliveries that are due: those that wait for a retry, or for the end of a lease, stand in
 * an index of their own until their time has come. And a page of one state is one range of an index.
 */
export async function up(db: Kysely<never>): Promise<void> {
  // Each pending delivery is in one of the two.
  await sql`
    create index deliveries_ready on deliveries (webhook_id, created_at) where state = 'pending' and next_at = 0`.execute(
    db,
  );
  await sql`create index deliveries_waiting on deliveries (next_at) where state = 'pending' and next_at > 0`.execute(
    db,
  );
  await db.schema.dropIndex('deliveries_due').execute();

  await db.schema
    .createIndex('deliveries_by_state')
    .on('deliveries')
    .columns(['webhook_id', 'state', 'created_at', 'id'])
    .execute();
  await db.schema.dropIndex('deliveries_by_webhook').execute();
}
