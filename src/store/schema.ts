import type { WebhookSource } from '../events/sources.ts';
import type { FailureReason } from '../net/outbound.ts';

/**
 * The tables of the embedded backend, the same on SQLite and Postgres. Times are whole milliseconds since the epoch and
 * flags are 0 or 1. A value that is only ever read and written as a whole is JSON text.
 */
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
  notice_receivers: NoticeReceiverTable;
  pending_notices: PendingNoticeTable;
  pending_holds: PendingHoldTable;
  rate_limits: RateLimitTable;
  deployment: DeploymentTable;
}

export interface WorkspaceTable {
  id: string;
  /** Unique. */
  name: string;
  created_at: number;
}

export interface ApiKeyTable {
  id: string;
  workspace_id: string;
  name: string;
  /** SHA-256 of the key, in hex. The key itself is not stored. */
  hash: string;
  /** JSON: the scopes. */
  scopes: string;
  /** JSON: the accounts that the key is limited to; null for every account of the workspace. */
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
  /** How the account is signed in at its network, in the format of the network's adapter. */
  session: string;
  created_at: number;
}

export interface JobTable {
  id: string;
  workspace_id: string;
  account_id: string;
  state: string;
  /** JSON: the contents of the posting (JobFields). */
  fields: string;
  /** JSON: the checkpoint that publishing waits for (StoredCheckpoint); null if none is open. */
  checkpoint: string | null;
  /** End of the lease of the one request that may act on the posting; in the past if no request does. */
  claimed_until: number;
  /** The request that holds the lease; null if none does. */
  claimed_by: string | null;
  /** Whether a network has published the posting, where its state does not say it: see capabilities/jobs/publication.ts. */
  publication: 'unknown' | 'published' | null;
  created_at: number;
  updated_at: number;
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
  /** JSON: the accounts whose events the webhook receives; empty for all accounts of the workspace, future ones included. */
  account_ids: string;
  /** JSON, sealed unless empty: extra headers. */
  headers: string;
  /** JSON: payload mapping. */
  data: string;
  /** JSON: events. */
  events: string;
  /** JSON: icon, name and context; null for an AUTO webhook. */
  trigger: string | null;
  created_at: number;
}

/**
 * Which webhooks listen to which accounts, and receive which of their events. Triggers of the database derive the rows from
 * the webhooks.
 */
export interface WebhookListenerTable {
  workspace_id: string;
  /** Empty in the row that says only that the webhook listens to the account, which each has. */
  event: string;
  /** Empty for all accounts of the workspace. */
  account_id: string;
  webhook_id: string;
}

/** The response to a request with an `Idempotency-Key`, given again when the request is repeated. */
export interface IdempotentResponseTable {
  /** Hex: 16 characters of the SHA-256 of the API key's id, and the SHA-256 of it, the endpoint and the client's key. */
  id: string;
  /** SHA-256 of the request, in hex. */
  fingerprint: string;
  /**
   * End of the lease of the request that is producing the response. If it is over and there is no response, the request may
   * have been carried out, and nobody knows.
   */
  claimed_until: number;
  /** The request that holds the lease; null once it has ended. */
  claimed_by?: string | null;
  /** Null until the response is complete. */
  status: number | null;
  body: string | null;
  expires_at: number;
}

/** An event of an account, stored once for all the webhooks that receive it. */
export interface EventTable {
  id: string;
  workspace_id: string;
  account_id: string | null;
  account_type: string | null;
  /** Null if the event is a TRIGGER webhook being fired. */
  source: WebhookSource | null;
  event: string;
  /** JSON: the data by the keys of the source. */
  data: string;
  /** Unique for the account. */
  idempotency_key: string | null;
  /** SHA-256 of the emission, to tell a repetition from another event under the same idempotency key. */
  fingerprint: string;
  /** The `traceparent` (W3C Trace Context) of the span in which it was emitted; null where it was not traced. */
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
  /** DeliveryState. */
  state: string;
  /** Attempts made in all. */
  attempts: number;
  /** Attempts made before the last redelivery: the retry schedule starts anew behind them. */
  attempts_before: number;
  /**
   * When the delivery is due; 0 once it is. While the delivery is claimed, the end of the lease, so that it is due again if
   * the worker dies. A claim sets times that have come to 0 before it looks for what is due.
   */
  next_at: number;
  /** Identifies the claim under which the delivery is being sent: only its holder can settle the delivery. */
  claim_token: string | null;
  created_at: number;
  finished_at: number | null;
}

export interface DeliveryAttemptTable {
  delivery_id: string;
  /** From 1. */
  number: number;
  started_at: number;
  duration_ms: number;
  /** HTTP status; null if no response arrived. */
  status: number | null;
  /** Null if the response was read in full. */
  failure: FailureReason | null;
  /** The first bytes of the response's body, as text. */
  response_body: string;
}

/** Where the deliveries of a webhook go: the secrets that sign them, and how the destination is doing. One per webhook. */
export interface WebhookDestinationTable {
  webhook_id: string;
  /** Sealed JSON: the signing secrets, the current one first. */
  secrets: string;
  /** Whether the current secret has been shown. */
  secret_shown: number;
  /** When the current run of failures began; null while deliveries succeed. */
  failing_since: number | null;
  /** Nothing is sent before this time; 0 if the destination is not paused. */
  paused_until: number;
  /** Why the webhook was disabled (DisabledReason); null if it is enabled, or was created disabled. */
  disabled_reason: string | null;
  disabled_at: number | null;
}

/** How many attempts to a webhook, begun in a span of time, ended in one way. Kept up to date as attempts are settled. */
export interface WebhookStatisticsTable {
  webhook_id: string;
  /** The length of the span: one of those in capabilities/deliveries/attempt-counts.ts. */
  span_ms: number;
  /** The start of the span, a multiple of its length. */
  starts_at: number;
  succeeded: number;
  /** The attempts took so many milliseconds at most, and more than those of the next smaller value. */
  within_ms: number;
  attempts: number;
}

/** Webhooks that are told when another one of their workspace is disabled. */
export interface NoticeReceiverTable {
  workspace_id: string;
  webhook_id: string;
}

/** Webhooks that the gateway has disabled, until those who are to be told have an event of it. */
export interface PendingNoticeTable {
  webhook_id: string;
  disabled_at: number;
  /** DisabledReason, but not `caller`: who disables a webhook knows it. */
  reason: string;
}

/** Pending deliveries of a webhook that are being held, in the order of their creation. */
export interface PendingHoldTable {
  webhook_id: string;
  /** The last delivery to hold. */
  through_created_at: number;
  through_id: string;
  /** JSON: the accounts whose deliveries stay pending; empty if all are held. */
  account_ids: string;
  /** The last delivery that was looked at. */
  held_created_at: number;
  held_id: string;
}

/** The bucket of a rate limit. One that is full has no row. */
export interface RateLimitTable {
  /** The name of the limit and whose bucket it is. */
  id: string;
  /** When the bucket is full again, in microseconds since the epoch. */
  full_at: number;
}

/** What the database says of the deployment that uses it. */
export interface DeploymentTable {
  /**
   * `secret`: a value that the deployment's secret can be recognized by. `written`: when the database was last written to.
   * `works_from`: the step of the schema that a gateway must know.
   */
  name: string;
  value: string;
}
