import { type Kysely, SqliteAdapter, sql } from 'kysely';

export const worksFrom = '011_queue_indexes';

/** Names as they are searched and sorted: without the case of A to Z, as both databases and every locale know it. */
export async function up(db: Kysely<never>): Promise<void> {
  const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter;
  for (const statement of isSqlite ? sqlite : postgres) await sql.raw(statement).execute(db);
  // Fires the trigger for existing postings.
  await sql`update jobs set fields = fields`.execute(db);
}

/** A search of names reads the index of its order: on SQLite a posting is as long as its contents. */
export const indexes = {
  webhooks_by_name: 'on webhooks (workspace_id, name_key, id)',
  webhooks_by_creation: 'on webhooks (workspace_id, created_at, id, name_key)',
  webhooks_by_workspace: null,
  jobs_by_creation: 'on jobs (workspace_id, created_at, id, name_key)',
  jobs_by_change: 'on jobs (workspace_id, updated_at, id, name_key)',
  jobs_by_workspace: null,
};

const title = `lower(coalesce(json_extract(new.fields, '$.job_title.text'), ''))`;

const sqlite = [
  `alter table webhooks add column name_key text generated always as (lower(coalesce(name, ''))) virtual`,
  `alter table jobs add column name_key text not null default ''`,
  `create trigger jobs_named after insert on jobs begin
    update jobs set name_key = ${title} where id = new.id;
  end`,
  `create trigger jobs_renamed after update of fields on jobs begin
    update jobs set name_key = ${title} where id = new.id;
  end`,
];

const postgres = [
  `alter table webhooks add column name_key text collate "C"
    generated always as (lower(coalesce(name, '') collate "C")) stored`,
  `alter table jobs add column name_key text collate "C" not null default ''`,
  // JSON may escape half of a character, which text cannot have: the posting is stored, and not found by its name.
  `create function name_job() returns trigger language plpgsql as $$
  begin
    new.name_key := lower(coalesce(new.fields::json -> 'job_title' ->> 'text', '') collate "C");
    return new;
  exception when data_exception then
    new.name_key := '';
    return new;
  end $$`,
  'create trigger jobs_named before insert or update of fields on jobs for each row execute function name_job()',
];
