import { type Kysely, SqliteAdapter, sql } from 'kysely';

export const worksFrom = '011_queue_indexes';

/** Plans deletions per id: with most rows below one parent, Postgres would scan the table to delete nothing. */
export async function up(db: Kysely<never>): Promise<void> {
  if (db.getExecutor().adapter instanceof SqliteAdapter) return;
  for (const { parent, child, key } of plannedCascades) {
    await sql
      .raw(`create or replace function ${parent}_take_${child}() returns trigger language plpgsql
        set plan_cache_mode = force_custom_plan set enable_seqscan = off as $$
        declare
          ids text[] := array(select id from deleted);
        begin
          delete from ${child} where ${key} = any(ids);
          return null;
        end $$`)
      .execute(db);
  }
}

const plannedCascades = [
  { parent: 'webhooks', child: 'deliveries', key: 'webhook_id' },
  { parent: 'events', child: 'deliveries', key: 'event_id' },
  { parent: 'deliveries', child: 'delivery_attempts', key: 'delivery_id' },
] as const;
