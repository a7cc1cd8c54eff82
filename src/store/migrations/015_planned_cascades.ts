import { type Kysely, SqliteAdapter, sql } from 'kysely';

export const worksFrom = '011_queue_indexes';

/**
 * Lets the triggers of 014_cascades delete by the index of the key. Their plans were for any ids: where most of a table belongs
 * to one parent, Postgres expected as much of any other, and read the whole table to delete nothing. Now each deletion is
 * planned for its own ids.
 */
export async function up(db: Kysely<never>): Promise<void> {
  if (db.getExecutor().adapter instanceof SqliteAdapter) return;
  for (const { parent, child, key } of cascades) {
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

const cascades = [
  { parent: 'webhooks', child: 'deliveries', key: 'webhook_id' },
  { parent: 'events', child: 'deliveries', key: 'event_id' },
  { parent: 'deliveries', child: 'delivery_attempts', key: 'delivery_id' },
] as const;
