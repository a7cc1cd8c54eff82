import type { WebhookSource } from '../events/sources.ts';
import type { FailureReason } from '../net/outbound.ts';

/** Tables on SQLite and Postgres. Times are epoch milliseconds, flags 0 or 1; values used as a whole are JSON. */
export interface Tables {
  workspaces: WorkspaceTable;
  api_keys: ApiKeyTable;
  accounts: AccountTable;
  jobs: JobTable;
  webhooks: WebhookTable;
  webhook_listeners: WebhookListenerTable;
  idempotent_responses: IdempotentResponseTable;
  events: EventTable;
  deliveries: DeliveryTable;
  delivery_attempts: DeliveryAttemptTable;
  webhook_destinations: WebhookDestinationTable;
  webhook_statistics: WebhookStatisticsTable;
  webhook_counts: WebhookCountsTable;
  workspace_statistics: WorkspaceStatisticsTable;
  notice_receivers: NoticeReceiverTable;
  pending_notices: PendingNoticeTable;
  pending_holds: PendingHoldTable;
  rate_limits: RateLimitTable;
  stored_bytes: StoredBytesTable;
  deployment: DeploymentTable;
}

interface WorkspaceTable {
  id: string;
  /** Unique. */
  name: string;
  created_at: number;
}

interface ApiKeyTable {
  id: string;
  workspace_id: string;
  name: string;
  /** SHA-256 in hex; the key itself is not stored. */
  hash: string;
  /** JSON scopes. */
  scopes: string;
  /** JSON ids that the key is limited to; null: the whole workspace. */
  account_ids: string | null;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
}

export interface AccountTable {
  id: string;
  workspace_id: string;
  name: string | null;
  type: string;
  status: string;
  /** Session at the network, in the format of its adapter. */
  session: string;
  created_at: number;
}

export interface JobTable {
  id: string;
  workspace_id: string;
  account_id: string;
  state: string;
  /** JSON (JobFields). */
  fields: string;
  /** JSON (StoredCheckpoint) of the open checkpoint. */
  checkpoint: string | null;
  /** End of the lease of the request that acts on the posting; past if none does. */
  claimed_until: number;
  /** Holder of the lease. */
  claimed_by: string | null;
  /** Where the state does not say it: capabilities/jobs/lease.ts. */
  publication: 'unknown' | 'published' | null;
  created_at: number;
  updated_at: number;
  /** The name (kernel/lib/name-key.ts), which the database derives. */
  name_key?: string;
}

export interface WebhookTable {
  id: string;
  workspace_id: string;
  type: string;
  /** Null for a TRIGGER webhook. */
  source: WebhookSource | null;
  name: string | null;
  enabled: number;
  request_url: string;
  format: string;
  /** JSON ids; empty: all accounts of the workspace, future ones included. */
  account_ids: string;
  /** JSON, sealed unless empty. */
  headers: string;
  /** JSON payload mapping. */
  data: string;
  /** JSON. */
  events: string;
  /** JSON icon, name and context; null for an AUTO webhook. */
  trigger: string | null;
  created_at: number;
  /** Changes of the webhook and its secrets, which the database counts: what was claimed before one is not sent after it. */
  revision?: number;
  /** WebhookHealthState, which the database derives from the webhook and its destination. */
  health?: string;
  name_key?: string;
}

/** Accounts and events of each webhook. Database triggers derive the rows from the webhooks. */
interface WebhookListenerTable {
  workspace_id: string;
  /** Empty in the row of the account itself, which each has. */
  event: string;
  /** Empty: all accounts of the workspace. */
  account_id: string;
  webhook_id: string;
}

/** Response to a request with an `Idempotency-Key`. */
export interface IdempotentResponseTable {
  /** 16 hex characters of the hash of the API key's id, and the SHA-256 of it, the endpoint and the client's key. */
  id: string;
  /** SHA-256 of the request, in hex. */
  fingerprint: string;
  /** End of the lease of the running request. Past, and no response: the request may have been carried out. */
  claimed_until: number;
  /** Holder of the lease; null once it has ended. */
  claimed_by?: string | null;
  /** Null until the response is complete. */
  status: number | null;
  body: string | null;
  expires_at: number;
}

/** Stored once for all the webhooks that receive it. */
export interface EventTable {
  id: string;
  workspace_id: string;
  account_id: string | null;
  account_type: string | null;
  /** Null: a fired TRIGGER webhook. */
  source: WebhookSource | null;
  event: string;
  /** JSON data by the keys of the source. */
  data: string;
  /** The only receiver, as of a fired trigger, a notice or a test event; null for all that listen. */
  webhook_id?: string | null;
  /** Unique per account. */
  idempotency_key: string | null;
  /** SHA-256 that tells a repetition from another event under the same idempotency key. */
  fingerprint: string;
  /** `traceparent` (W3C Trace Context) of the emission; null if untraced. */
  traceparent?: string | null;
  created_at: number;
}

/** An event on its way to one webhook. */
export interface DeliveryTable {
  /** Also the `webhook-id` header of every attempt. */
  id: string;
  workspace_id: string;
  webhook_id: string;
  event_id: string;
  account_id: string | null;
  event: string;
  state: string;
  attempts: number;
  /** Attempts before the last redelivery: the retry schedule starts anew behind them. */
  attempts_before: number;
  /** Due time; 0 once due: a claim resets past times. Of a claimed delivery the end of the lease. */
  next_at: number;
  /** The claim under which it is being sent: only its holder can settle it. */
  claim_token: string | null;
  created_at: number;
  finished_at: number | null;
}

export interface DeliveryAttemptTable {
  delivery_id: string;
  number: number;
  started_at: number;
  duration_ms: number;
  /** HTTP status; null without a response. */
  status: number | null;
  /** Null if the response was read in full. */
  failure: FailureReason | null;
  /** The first bytes, as text. */
  response_body: string;
  /** Lines as in HTTP. Null for a success, without a response, and from before they were stored. */
  response_headers: string | null;
}

/** Secrets and state of a webhook's destination. One per webhook. */
export interface WebhookDestinationTable {
  webhook_id: string;
  /** Sealed JSON: the signing secrets, the current one first. */
  secrets: string;
  secret_shown: number;
  /** Start of the current run of failures; null while deliveries succeed. */
  failing_since: number | null;
  failed_attempts: number;
  /** Whether these are enough to call the webhook failing. */
  failing: number;
  /** Nothing is sent before; 0 if not paused. */
  paused_until: number;
  /** DisabledReason; null if the webhook is enabled, or was created disabled. */
  disabled_reason: string | null;
  disabled_at: number | null;
}

/** Attempts to a webhook that began in a span of time, by outcome. */
export interface WebhookStatisticsTable {
  webhook_id: string;
  /** One of those in capabilities/deliveries/attempt-counts.ts. */
  span_ms: number;
  /** A multiple of the span. */
  starts_at: number;
  succeeded: number;
  /** Upper bound of the bucket of durations. */
  within_ms: number;
  attempts: number;
}

/** Attempts to all webhooks of a workspace, those deleted since among them. */
type WorkspaceStatisticsTable = Omit<WebhookStatisticsTable, 'webhook_id'> & { workspace_id: string };

/** Numbers of a workspace's webhooks by health. Database triggers keep them. */
interface WebhookCountsTable {
  workspace_id: string;
  healthy: number;
  failing: number;
  disabled_by_gateway: number;
  disabled_by_caller: number;
}

/** Webhooks that are notified when another one of their workspace is disabled. */
export interface NoticeReceiverTable {
  workspace_id: string;
  webhook_id: string;
}

/** Webhooks that the gateway has disabled, until their notices are emitted. */
interface PendingNoticeTable {
  webhook_id: string;
  disabled_at: number;
  /** DisabledReason, but not `caller`: who disables a webhook knows it. */
  reason: string;
}

/** Pending deliveries of a webhook that are being held, in order of creation. */
export interface PendingHoldTable {
  webhook_id: string;
  /** The last delivery to hold. */
  through_created_at: number;
  through_id: string;
  /** JSON ids of accounts whose deliveries stay pending; empty: all are held. */
  account_ids: string;
  /** The last delivery that was looked at. */
  held_created_at: number;
  held_id: string;
}

/** Bucket of a rate limit. A full one has no row. */
interface RateLimitTable {
  /** Name of the limit and owner of the bucket. */
  id: string;
  /** Microseconds since the epoch. */
  full_at: number;
}

/** Bytes of events by the day on which they were stored. */
interface StoredBytesTable {
  workspace_id: string;
  /** Days since the epoch. */
  day: number;
  bytes: number;
}

interface DeploymentTable {
  /** `secret` recognizes the deployment's; `written`: last write check; `works_from`: needed schema step. */
  name: string;
  value: string;
}
