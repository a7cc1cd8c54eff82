/** The schema of the first gateways of 0.3.0. Names of constraints, columns at the end and triggers are as its steps left them. */
import { type Kysely, SqliteAdapter, sql } from 'kysely';
import { postgresTriggers, sqliteTriggers } from './triggers.ts';

/** Gateways of the steps that it replaces work on. */
export const worksFrom = '011_queue_indexes';

export async function up(db: Kysely<never>): Promise<void> {
  const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter;
  const statements = [...tables(isSqlite), ...firstIndexes, ...(isSqlite ? sqliteTriggers : postgresTriggers)];
  for (const statement of statements) await sql.raw(statement).execute(db);
}

/** A database of 0.3.0 may lack some: a start builds them. In this order: of indexes that serve as well, SQLite takes the newest. */
export const indexes = {
  webhooks_by_health: 'on webhooks (workspace_id, health, created_at, id)',
  deliveries_of_workspace: 'on deliveries (workspace_id, state, created_at, id)',
  // A search of names reads the index of its order: on SQLite a posting is as long as its contents.
  webhooks_by_name: 'on webhooks (workspace_id, name_key, id)',
  webhooks_by_creation: 'on webhooks (workspace_id, created_at, id, name_key)',
  webhooks_by_workspace: null,
  jobs_by_creation: 'on jobs (workspace_id, created_at, id, name_key)',
  jobs_by_change: 'on jobs (workspace_id, updated_at, id, name_key)',
  jobs_by_workspace: null,
};

const ofWorkspace = 'workspace_id text not null references workspaces (id)';
const ofWebhook = 'webhook_id text not null references webhooks (id) on delete cascade';

function tables(isSqlite: boolean): readonly string[] {
  // SQLite finds a row with one search instead of two.
  const clustered = isSqlite ? 'without rowid' : '';
  // A foreign key costs Postgres a query per inserted row, a tenth of the cost of a delivery: triggers replace it.
  const cascading = (table: string) => (isSqlite ? `references ${table} (id) on delete cascade` : '');
  const nameKey = isSqlite
    ? "text generated always as (lower(coalesce(name, ''))) virtual"
    : `text collate "C" generated always as (lower(coalesce(name, '') collate "C")) stored`;
  return [
    'create table workspaces (id text primary key, name text not null unique, created_at bigint not null)',
    `create table api_keys (id text primary key, ${ofWorkspace}, name text not null, hash text not null unique,
      scopes text not null, account_ids text, created_at bigint not null, expires_at bigint, revoked_at bigint)`,
    `create table accounts (id text primary key, ${ofWorkspace}, name text, type text not null, status text not null,
      session text not null, created_at bigint not null)`,
    `create table jobs (id text primary key, ${ofWorkspace}, account_id text not null references accounts (id),
      state text not null, fields text not null, checkpoint text, claimed_until bigint default 0 not null,
      created_at bigint not null, updated_at bigint not null, claimed_by text, publication text,
      name_key text ${isSqlite ? '' : 'collate "C"'} not null default '')`,
    `create table webhooks (id text primary key, ${ofWorkspace}, type text not null, source text, name text,
      enabled integer not null, request_url text not null, format text not null, account_ids text not null,
      headers text not null, data text not null, events text not null, trigger text, created_at bigint not null,
      revision integer default 0 not null, health text default 'healthy' not null, name_key ${nameKey})`,
    `create table idempotent_responses (id text constraint idempotent_answers_pkey primary key,
      fingerprint text not null, claimed_until bigint not null, status integer, body text, expires_at bigint not null,
      claimed_by text)`,
    `create table events (id text primary key, ${ofWorkspace}, account_id text, account_type text, source text,
      event text not null, data text not null, idempotency_key text, fingerprint text not null,
      created_at bigint not null, traceparent text)`,
    `create table deliveries (id text primary key, workspace_id text not null,
      webhook_id text not null ${cascading('webhooks')}, event_id text not null ${cascading('events')}, account_id text,
      event text not null, state text not null, attempts integer not null, attempts_before integer not null,
      next_at bigint not null, claim_token text, created_at bigint not null, finished_at bigint)`,
    `create table delivery_attempts (delivery_id text not null ${cascading('deliveries')}, number integer not null,
      started_at bigint not null, duration_ms integer not null, status integer, failure text,
      response_body text not null, constraint delivery_attempts_key primary key (delivery_id, number)) ${clustered}`,
    `create table webhook_destinations (webhook_id text constraint endpoints_pkey primary key
      constraint endpoints_webhook_id_fkey references webhooks (id) on delete cascade, secrets text not null,
      secret_shown integer not null, failing_since bigint, paused_until bigint not null, disabled_reason text,
      disabled_at bigint, failed_attempts integer default 0 not null, failing integer default 0 not null)`,
    'create table rate_limits (id text primary key, full_at bigint not null)',
    'create table deployment (name text primary key, value text not null)',
    // A row per webhook, account and event, which triggers keep.
    `create table webhook_listeners (workspace_id text not null, event text not null, account_id text not null,
      ${ofWebhook}, constraint webhook_listeners_key primary key (workspace_id, event, account_id, webhook_id))
      ${clustered}`,
    `create table webhook_statistics (${ofWebhook}, span_ms bigint not null, starts_at bigint not null,
      succeeded integer not null, within_ms integer not null, attempts bigint not null,
      constraint webhook_statistics_key primary key (webhook_id, span_ms, starts_at, succeeded, within_ms))
      ${clustered}`,
    `create table notice_receivers (workspace_id text not null, ${ofWebhook},
      constraint notice_receivers_key primary key (workspace_id, webhook_id))`,
    `create table pending_notices (${ofWebhook}, disabled_at bigint not null, reason text not null,
      constraint pending_notices_key primary key (webhook_id, disabled_at))`,
    // Progress of holding a webhook's pending deliveries, of which there may be millions.
    `create table pending_holds (${ofWebhook}, through_created_at bigint not null, through_id text not null,
      account_ids text not null, held_created_at bigint not null, held_id text not null,
      constraint pending_holds_key primary key (webhook_id, through_created_at, through_id, account_ids))`,
    `create table webhook_counts (workspace_id text not null primary key, healthy integer not null,
      failing integer not null, disabled_by_gateway integer not null, disabled_by_caller integer not null)`,
    `create table workspace_statistics (workspace_id text not null, span_ms bigint not null, starts_at bigint not null,
      succeeded integer not null, within_ms integer not null, attempts bigint not null,
      constraint workspace_statistics_key primary key (workspace_id, span_ms, starts_at, succeeded, within_ms))
      ${clustered}`,
  ];
}

const firstIndexes = [
  'create index accounts_by_workspace on accounts (workspace_id, created_at, id)',
  // `''` stands for no account, as a unique index counts each null as different.
  `create unique index events_by_idempotency_key on events (workspace_id, idempotency_key, coalesce(account_id, ''))`,
  // For retention, which deletes the oldest first.
  'create index events_by_age on events (created_at)',
  'create index idempotent_responses_by_expiry on idempotent_responses (expires_at)',
  'create index rate_limits_by_time on rate_limits (full_at)',
  // As small as what is in flight.
  'create index deliveries_claimed on deliveries (claim_token) where claim_token is not null',
  'create index webhook_listeners_by_webhook on webhook_listeners (webhook_id)',
  // Each pending delivery is in one of the two: a claim reads due ones only.
  `create index deliveries_ready on deliveries (webhook_id, created_at) where state = 'pending' and next_at = 0`,
  `create index deliveries_waiting on deliveries (next_at) where state = 'pending' and next_at > 0`,
  'create index deliveries_by_state on deliveries (webhook_id, state, created_at, id)',
  'create index webhook_statistics_by_age on webhook_statistics (span_ms, starts_at)',
  'create index notice_receivers_by_webhook on notice_receivers (webhook_id)',
  'create index workspace_statistics_by_age on workspace_statistics (span_ms, starts_at)',
];
