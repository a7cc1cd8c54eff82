import { type Kysely, SqliteAdapter, sql } from 'kysely';

export const worksFrom = '011_queue_indexes';

/** Changes of a webhook and its secrets, for claims made before one. Triggers count, for older gateways too. */
export async function up(db: Kysely<never>): Promise<void> {
  const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter;
  await db.schema
    .alterTable('webhooks')
    .addColumn('revision', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  for (const statement of isSqlite ? sqliteTriggers : postgresTriggers) await sql.raw(statement).execute(db);
}

const sqliteTriggers = [
  `create trigger webhooks_revised after update on webhooks when new.revision = old.revision begin
    update webhooks set revision = old.revision + 1 where id = new.id;
  end`,
  `create trigger webhook_secrets_revised after update of secrets on webhook_destinations begin
    update webhooks set revision = revision + 1 where id = new.webhook_id;
  end`,
];

const postgresTriggers = [
  `create function revise_webhook() returns trigger language plpgsql as $$
  begin
    new.revision := old.revision + 1;
    return new;
  end $$`,
  'create trigger webhooks_revised before update on webhooks for each row execute function revise_webhook()',
  `create function revise_webhook_of_secrets() returns trigger language plpgsql as $$
  begin
    update webhooks set revision = revision where id = new.webhook_id;
    return null;
  end $$`,
  `create trigger webhook_secrets_revised after update of secrets on webhook_destinations
  for each row execute function revise_webhook_of_secrets()`,
];
