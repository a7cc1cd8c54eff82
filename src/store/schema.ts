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
  /** SHA-256 of the workspace, the endpoint and the client's key, in hex. */
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
