export type PostgresSettings = { readonly [Name in keyof typeof postgresDefaults]: number };

/** The server ends a statement before the gateway gives up the connection, so slow ones cost no connection. */
export const postgresDefaults = {
  /** Per process, without the one that listens. */
  connections: 20,
  /** Wait for a new or free connection, in milliseconds. */
  connectTimeoutMs: 3_000,
  /** Wait for a response before the connection is given up as silent, in milliseconds; 0: for ever. */
  queryTimeoutMs: 9_000,
  /** Limit of the server for a statement, in milliseconds; 0: none. */
  statementTimeoutMs: 8_000,
  /** Limit of the server for a wait for a lock, in milliseconds; 0: none. */
  lockTimeoutMs: 2_000,
  /** Limit of the server for an idle transaction, in milliseconds; 0: none. */
  idleTransactionTimeoutMs: 10_000,
  /** Idle time before TCP keep-alive probes, in milliseconds. */
  keepAliveMs: 5_000,
  /** Wait of a start for a server that cannot be reached, in seconds; 0: none. */
  startWaitSeconds: 60,
  /** Life of a connection, in seconds; 0: no limit. */
  lifetimeSeconds: 1_800,
} as const;

/** Long statements, short waits for locks, behind which all queue. The second connection finds the blocker. */
export const forMigrations = (settings: PostgresSettings): PostgresSettings => ({
  ...settings,
  connections: 2,
  queryTimeoutMs: 0,
  statementTimeoutMs: 0,
  lockTimeoutMs: 300,
  idleTransactionTimeoutMs: 0,
});
