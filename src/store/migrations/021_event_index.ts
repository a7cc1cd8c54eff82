import { type Kysely, SqliteAdapter, sql } from 'kysely';

export const worksFrom = '011_queue_indexes';

/**
 * Each claim and each settlement adds a version of its row to the index. With the versions of an event's deliveries in
 * one list, Postgres searches these lists for dead ones: a sixth of its time for a delivery.
 */
export async function up(db: Kysely<never>): Promise<void> {
  if (db.getExecutor().adapter instanceof SqliteAdapter) return;
  await sql`alter index deliveries_by_event set (deduplicate_items = off)`.execute(db);
}
