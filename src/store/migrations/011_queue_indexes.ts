import { type Kysely, sql } from 'kysely';

/** Waiting deliveries have their own index, so a claim reads due ones only. A page of a state is one range. */
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
