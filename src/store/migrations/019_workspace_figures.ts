import { type Kysely, SqliteAdapter, sql } from 'kysely';

export const worksFrom = '011_queue_indexes';

/**
 * Figures of a workspace, whatever it has: the health of each webhook, which triggers derive, whoever writes, older
 * gateways included; how many webhooks have which; and the attempts to all of them.
 */
export async function up(db: Kysely<never>): Promise<void> {
  const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter;
  const whole = (table: string, column: string, type: 'integer' | 'text', value: string | number) =>
    db.schema
      .alterTable(table)
      .addColumn(column, type, (added) => added.notNull().defaultTo(value))
      .execute();
  await whole('webhook_destinations', 'failed_attempts', 'integer', 0);
  await whole('webhook_destinations', 'failing', 'integer', 0);
  await whole('webhooks', 'health', 'text', 'healthy');
  await db.schema
    .createTable('webhook_counts')
    .addColumn('workspace_id', 'text', (column) => column.primaryKey().notNull())
    .$call((table) => states.reduce((with_, state) => with_.addColumn(state, 'integer', (c) => c.notNull()), table))
    .execute();
  await db.schema
    .createTable('workspace_statistics')
    .addColumn('workspace_id', 'text', (column) => column.notNull())
    .addColumn('span_ms', 'bigint', (column) => column.notNull())
    .addColumn('starts_at', 'bigint', (column) => column.notNull())
    .addColumn('succeeded', 'integer', (column) => column.notNull())
    .addColumn('within_ms', 'integer', (column) => column.notNull())
    .addColumn('attempts', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('workspace_statistics_key', [
      'workspace_id',
      'span_ms',
      'starts_at',
      'succeeded',
      'within_ms',
    ])
    .$call((table) => (isSqlite ? table.modifyEnd(sql`without rowid`) : table))
    .execute();
  await db.schema
    .createIndex('workspace_statistics_by_age')
    .on('workspace_statistics')
    .columns(['span_ms', 'starts_at'])
    .execute();

  for (const statement of fill) await sql.raw(statement).execute(db);
  for (const statement of isSqlite ? sqliteTriggers : postgresTriggers) await sql.raw(statement).execute(db);
}

/** Of webhooks by health, and of all deliveries of a workspace by state. */
export const indexes = {
  webhooks_by_health: 'on webhooks (workspace_id, health, created_at, id)',
  deliveries_of_workspace: 'on deliveries (workspace_id, state, created_at, id)',
};

const states = ['healthy', 'failing', 'disabled_by_gateway', 'disabled_by_caller'] as const;

/** Webhooks that are being deleted are nobody's: their workspace would have all gateways wait for one row. */
const isCounted = (row: string) => `${row}.workspace_id <> 'removed-webhooks'`;

const healthOf = (enabled: string, id: string) => `case
    when ${enabled} = 1 then case when exists (
      select 1 from webhook_destinations
      where webhook_id = ${id} and failing = 1 and failing_since is not null
    ) then 'failing' else 'healthy' end
    when exists (
      select 1 from webhook_destinations where webhook_id = ${id} and disabled_reason in ('gone', 'failing')
    ) then 'disabled_by_gateway'
    else 'disabled_by_caller'
  end`;

const one = (health: string, state: string, sign: string) =>
  `case when ${health} = '${state}' then ${sign}1 else 0 end`;

const addCounts = states.map((state) => `${state} = webhook_counts.${state} + excluded.${state}`).join(', ');

const count = (row: string, sign: '' | '-') => `
    insert into webhook_counts (workspace_id, ${states.join(', ')})
    select ${row}.workspace_id, ${states.map((state) => one(`${row}.health`, state, sign)).join(', ')}
    where ${isCounted(row)}
    on conflict (workspace_id) do update set ${addCounts};`;

/** The failed attempts of those that fail now: since the day on which they began to. */
const fill = [
  `update webhook_destinations set failed_attempts = (
    select coalesce(sum(attempts), 0) from webhook_statistics as counted
    where counted.webhook_id = webhook_destinations.webhook_id and span_ms = 86400000 and succeeded = 0
    and starts_at > failing_since - 86400000
  ) where failing_since is not null`,
  'update webhook_destinations set failing = 1 where failed_attempts >= 3',
  `update webhooks set health = ${healthOf('enabled', 'webhooks.id')}
  where enabled <> 1 or id in (select webhook_id from webhook_destinations where failing = 1)`,
  `insert into webhook_counts (workspace_id, ${states.join(', ')})
  select workspace_id, ${states.map((state) => `sum(${one('health', state, '')})`).join(', ')}
  from webhooks where ${isCounted('webhooks')} group by workspace_id`,
  `insert into workspace_statistics (workspace_id, span_ms, starts_at, succeeded, within_ms, attempts)
  select workspace_id, span_ms, starts_at, succeeded, within_ms, sum(attempts)
  from webhook_statistics join webhooks on webhooks.id = webhook_id
  group by workspace_id, span_ms, starts_at, succeeded, within_ms`,
];

const judged = `update of failing_since, failing, disabled_reason on webhook_destinations`;

const judge = (id: string) => `
    update webhooks set health = ${healthOf('enabled', 'webhooks.id')}
    where id = ${id} and health <> ${healthOf('enabled', 'webhooks.id')};`;

/** Health is no part of what is sent: its change takes back nothing that was claimed. */
const sqliteTriggers = [
  'drop trigger webhooks_revised',
  `create trigger webhooks_revised after update on webhooks
  when new.revision = old.revision and new.health = old.health begin
    update webhooks set revision = old.revision + 1 where id = new.id;
  end`,
  `create trigger webhooks_counted after insert on webhooks begin ${count('new', '')} end`,
  `create trigger webhooks_recounted after update of workspace_id, health on webhooks begin
    ${count('old', '-')} ${count('new', '')}
  end`,
  `create trigger webhooks_uncounted after delete on webhooks begin ${count('old', '-')} end`,
  `create trigger webhooks_judged after insert on webhooks when new.enabled <> 1 begin ${judge('new.id')} end`,
  `create trigger webhooks_judged_anew after update of enabled on webhooks when new.enabled <> old.enabled begin
    ${judge('new.id')}
  end`,
  `create trigger webhook_destinations_judged after ${judged} begin ${judge('new.webhook_id')} end`,
];

const sums = states.map((state) => `coalesce(sum(n) filter (where health = '${state}'), 0)`);

const countFunction = (command: 'insert' | 'update' | 'delete', changes: string) => `
  create function count_webhooks_${command}() returns trigger language plpgsql as $$
  begin
    insert into webhook_counts (workspace_id, ${states.join(', ')})
    select workspace_id, ${sums.join(', ')} from (${changes}) as changes
    where ${isCounted('changes')}
    group by workspace_id
    having ${sums.map((sum) => `${sum} <> 0`).join(' or ')}
    order by workspace_id
    on conflict (workspace_id) do update set ${addCounts};
    return null;
  end $$`;

const postgresTriggers = [
  'drop trigger webhooks_revised on webhooks',
  `create trigger webhooks_revised before update on webhooks for each row when (new.health = old.health)
  execute function revise_webhook()`,
  // Once for a statement: a row that a transaction updates 20,000 times takes it minutes.
  countFunction('insert', 'select workspace_id, health, 1 as n from added'),
  countFunction('delete', 'select workspace_id, health, -1 as n from gone'),
  countFunction(
    'update',
    'select workspace_id, health, 1 as n from added union all select workspace_id, health, -1 from gone',
  ),
  `create trigger webhooks_counted after insert on webhooks
  referencing new table as added for each statement execute function count_webhooks_insert()`,
  `create trigger webhooks_uncounted after delete on webhooks
  referencing old table as gone for each statement execute function count_webhooks_delete()`,
  `create trigger webhooks_recounted after update on webhooks
  referencing old table as gone new table as added for each statement execute function count_webhooks_update()`,
  // By the index of the key, however small the tables were when the session made its plan.
  `create function judge_webhook() returns trigger language plpgsql set enable_seqscan = off as $$
  declare judged text := case tg_table_name when 'webhooks' then to_jsonb(new)->>'id' else to_jsonb(new)->>'webhook_id' end;
  begin
    ${judge('judged')}
    return null;
  end $$`,
  `create trigger webhooks_judged after insert on webhooks for each row when (new.enabled <> 1)
  execute function judge_webhook()`,
  `create trigger webhooks_judged_anew after update of enabled on webhooks
  for each row when (new.enabled <> old.enabled) execute function judge_webhook()`,
  `create trigger webhook_destinations_judged after ${judged} for each row
  when ((new.failing_since, new.failing, new.disabled_reason) is distinct from
    (old.failing_since, old.failing, old.disabled_reason)) execute function judge_webhook()`,
];
