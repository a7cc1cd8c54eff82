import { type Kysely, SqliteAdapter, sql } from 'kysely';

/** A row per webhook, account and event. Triggers keep them right whoever writes webhooks, older gateways included. */
export async function up(db: Kysely<never>): Promise<void> {
  const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter;
  await db.schema
    .createTable('webhook_listeners')
    .addColumn('workspace_id', 'text', (column) => column.notNull())
    .addColumn('event', 'text', (column) => column.notNull())
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('webhook_id', 'text', (column) => column.notNull().references('webhooks.id').onDelete('cascade'))
    .addPrimaryKeyConstraint('webhook_listeners_key', ['workspace_id', 'event', 'account_id', 'webhook_id'])
    .$call((table) => (isSqlite ? table.modifyEnd(sql`without rowid`) : table))
    .execute();
  await db.schema.createIndex('webhook_listeners_by_webhook').on('webhook_listeners').column('webhook_id').execute();
  for (const statement of isSqlite ? sqliteTriggers : postgresTriggers) await sql.raw(statement).execute(db);
  // Fires the triggers for existing webhooks.
  await sql`update webhooks set events = events`.execute(db);
}

/** The empty event stands for the account itself, the empty account for the whole workspace. */
const sqliteRows = `
  insert or ignore into webhook_listeners (workspace_id, event, account_id, webhook_id)
  select new.workspace_id, event.value, coalesce(account.value, ''), new.id
  from (select '' as value union all select value from json_each(new.events)) event
  left join json_each(new.account_ids) account on true;`;

const sqliteTriggers = [
  `create trigger webhooks_listen after insert on webhooks begin ${sqliteRows} end`,
  `create trigger webhooks_listen_anew after update of workspace_id, events, account_ids on webhooks begin
    delete from webhook_listeners where webhook_id = new.id;
    ${sqliteRows}
  end`,
];

const postgresTriggers = [
  `create function listen_webhook() returns trigger language plpgsql as $$
  begin
    if tg_op = 'UPDATE' then
      delete from webhook_listeners where webhook_id = new.id;
    end if;
    insert into webhook_listeners (workspace_id, event, account_id, webhook_id)
    select new.workspace_id, event.value, coalesce(account.value, ''), new.id
    from (select '' as value union all select value from jsonb_array_elements_text(new.events::jsonb)) event
    left join jsonb_array_elements_text(new.account_ids::jsonb) account on true
    on conflict do nothing;
    return null;
  end $$`,
  `create trigger webhooks_listen after insert or update of workspace_id, events, account_ids on webhooks
  for each row execute function listen_webhook()`,
];
