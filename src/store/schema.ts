/**
 * The tables of the embedded backend, the same on SQLite and Postgres: times are whole milliseconds since the epoch,
 * flags 0 or 1, and what is only ever read and written as a whole is JSON text.
 */
export interface Tables {
  workspaces: WorkspaceTable;
  api_keys: ApiKeyTable;
  accounts: AccountTable;
  jobs: JobTable;
  webhooks: WebhookTable;
  idempotent_answers: IdempotentAnswerTable;
  events: EventTable;
  deliveries: DeliveryTable;
  delivery_attempts: DeliveryAttemptTable;
  endpoints: EndpointTable;
}

export interface WorkspaceTable {
  id: string;
  /** No two have the same. */
  name: string;
  created_at: number;
}

export interface ApiKeyTable {
  id: string;
  workspace_id: string;
  name: string;
  /** SHA-256 of the key, in hex. The key itself is kept nowhere. */
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
  /** How the account is signed in at its network, in the network adapter's own words. */
  session: string;
  created_at: number;
}

export interface JobTable {
  id: string;
  workspace_id: string;
  account_id: string;
  state: string;
  /** JSON: what the posting says (JobFields). */
  fields: string;
  /** JSON: the checkpoint that publishing waits for (StoredCheckpoint); null where none is open. */
  checkpoint: string | null;
  /** Until when one request alone may act on the posting; in the past where none does. */
  claimed_until: number;
  created_at: number;
  updated_at: number;
}

export interface WebhookTable {
  id: string;
  workspace_id: string;
  type: string;
  /** Null for a TRIGGER webhook. */
  source: string | null;
  name: string | null;
  enabled: number;
  request_url: string;
  format: string;
  /** JSON: the accounts listened on; an empty list for all of the workspace, future ones included. */
  account_ids: string;
  /** JSON: extra headers. */
  headers: string;
  /** JSON: payload mapping. */
  data: string;
  /** JSON: events. */
  events: string;
  /** JSON: icon, name and context; null for an AUTO webhook. */
  trigger: string | null;
  created_at: number;
}

export interface IdempotentAnswerTable {
  /** Hex: 16 characters of the SHA-256 of the workspace, and the SHA-256 of it, the endpoint and the client's key. */
  id: string;
  /** SHA-256 of what was asked, in hex. */
  fingerprint: string;
  /** Until when one request alone may work on the answer. */
  claimed_until: number;
  /** Null while the answer is being worked on. */
  status: number | null;
  body: string | null;
  expires_at: number;
}

/** What happened, once for all the webhooks that it goes to. */
export interface EventTable {
  id: string;
  workspace_id: string;
  account_id: string | null;
  account_type: string | null;
  /** Null for a TRIGGER webhook that was fired. */
  source: string | null;
  event: string;
  /** JSON: the data by the keys of the source. */
  data: string;
  idempotency_key: string | null;
  /** SHA-256 of what was emitted, to tell a repetition from another event under the same key. */
  fingerprint: string;
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
  /** pending, held, succeeded or failed. */
  state: string;
  /** Attempts made in all. */
  attempts: number;
  /** Attempts made before it was sent once more by hand: the retry table starts anew behind them. */
  attempts_before: number;
  /**
   * When it is due; 0 for at once, whatever the clock says. While it is claimed, the end of the lease: a worker that dies
   * leaves it to be due then.
   */
  next_at: number;
  /** The token of the claim under which it is being sent; only who knows it can say what came of it. */
  claim: string | null;
  created_at: number;
  finished_at: number | null;
}

export interface DeliveryAttemptTable {
  delivery_id: string;
  /** From 1. */
  number: number;
  started_at: number;
  duration_ms: number;
  /** HTTP status; null where none came. */
  status: number | null;
  /** FailureReason; null where the answer was read whole. */
  failure: string | null;
  /** First bytes of the answer as text. */
  answer: string;
}

/** What delivery knows of a webhook; made when the webhook is first used. */
export interface EndpointTable {
  webhook_id: string;
  /** Sealed JSON: the signing secrets, the present one first. */
  secrets: string;
  /** Whether the present secret has been read. */
  secret_shown: number;
  /** When the failures began that no success has ended; null while it works. */
  failing_since: number | null;
  /** Nothing is sent before; 0 where nothing holds it up. */
  paused_until: number;
  /** Why it was disabled (DisabledReason); null while it is not, or where it was made so. */
  disabled_reason: string | null;
  disabled_at: number | null;
}
