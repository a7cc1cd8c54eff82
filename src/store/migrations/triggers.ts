/** Triggers of the baseline: what they derive is right whoever writes, gateways of other versions included. */

const states = ['healthy', 'failing', 'disabled_by_gateway', 'disabled_by_caller'] as const;

/** Webhooks that are being deleted are nobody's: their workspace would have all gateways wait for one row. */
const isCounted = (row: string) => `${row}.workspace_id <> 'removed-webhooks'`;

const health = `case
    when enabled = 1 then case when exists (
      select 1 from webhook_destinations
      where webhook_id = webhooks.id and failing = 1 and failing_since is not null
    ) then 'failing' else 'healthy' end
    when exists (
      select 1 from webhook_destinations where webhook_id = webhooks.id and disabled_reason in ('gone', 'failing')
    ) then 'disabled_by_gateway'
    else 'disabled_by_caller'
  end`;

const judged = 'update of failing_since, failing, disabled_reason on webhook_destinations';

const judge = (id: string) => `
    update webhooks set health = ${health}
    where id = ${id} and health <> ${health};`;

const addCounts = states.map((state) => `${state} = webhook_counts.${state} + excluded.${state}`).join(', ');

const count = (row: string, sign: '' | '-') => `
    insert into webhook_counts (workspace_id, ${states.join(', ')})
    select ${row}.workspace_id, ${states.map((state) => `case when ${row}.health = '${state}' then ${sign}1 else 0 end`).join(', ')}
    where ${isCounted(row)}
    on conflict (workspace_id) do update set ${addCounts};`;

/** The empty event stands for the account itself, the empty account for the whole workspace. */
const listeners = `
  insert or ignore into webhook_listeners (workspace_id, event, account_id, webhook_id)
  select new.workspace_id, event.value, coalesce(account.value, ''), new.id
  from (select '' as value union all select value from json_each(new.events)) event
  left join json_each(new.account_ids) account on true;`;

/** Names as they are searched and sorted: without the case of A to Z, as both databases and every locale know it. */
const title = `lower(coalesce(json_extract(new.fields, '$.job_title.text'), ''))`;

export const sqliteTriggers = [
  `create trigger webhooks_listen after insert on webhooks begin ${listeners} end`,
  `create trigger webhooks_listen_anew after update of workspace_id, events, account_ids on webhooks begin
    delete from webhook_listeners where webhook_id = new.id;
    ${listeners}
  end`,
  `create trigger webhook_secrets_revised after update of secrets on webhook_destinations begin
    update webhooks set revision = revision + 1 where id = new.webhook_id;
  end`,
  // Health is no part of what is sent: its change takes back nothing that was claimed.
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
  `create trigger jobs_named after insert on jobs begin
    update jobs set name_key = ${title} where id = new.id;
  end`,
  `create trigger jobs_renamed after update of fields on jobs begin
    update jobs set name_key = ${title} where id = new.id;
  end`,
];

/** Deletes per id: with most rows below one parent, Postgres would scan the table to delete nothing. */
const cascade = (parent: string, child: string, key: string) => [
  `create function ${parent}_take_${child}() returns trigger language plpgsql
        set plan_cache_mode = force_custom_plan set enable_seqscan = off as $$
        declare
          ids text[] := array(select id from deleted);
        begin
          delete from ${child} where ${key} = any(ids);
          return null;
        end $$`,
  `create trigger ${parent}_take_${child} after delete on ${parent} referencing old table as deleted
  for each statement execute function ${parent}_take_${child}()`,
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

export const postgresTriggers = [
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
  ...cascade('webhooks', 'deliveries', 'webhook_id'),
  ...cascade('events', 'deliveries', 'event_id'),
  ...cascade('deliveries', 'delivery_attempts', 'delivery_id'),
  `create function revise_webhook() returns trigger language plpgsql as $$
  begin
    new.revision := old.revision + 1;
    return new;
  end $$`,
  `create trigger webhooks_revised before update on webhooks for each row when (new.health = old.health)
  execute function revise_webhook()`,
  `create function revise_webhook_of_secrets() returns trigger language plpgsql as $$
  begin
    update webhooks set revision = revision where id = new.webhook_id;
    return null;
  end $$`,
  `create trigger webhook_secrets_revised after update of secrets on webhook_destinations
  for each row execute function revise_webhook_of_secrets()`,
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
