export interface PostgresSettings {
  /** Per process, without the one that listens. */
  readonly connections: number;
  /** Wait for a new or free connection, in milliseconds. */
  readonly connectTimeoutMs: number;
  /** Wait for a response before the connection is given up as silent, in milliseconds; 0: for ever. */
  readonly queryTimeoutMs: number;
  /** Limit of the server for a statement, in milliseconds; 0: none. */
  readonly statementTimeoutMs: number;
  /** Limit of the server for a wait for a lock, in milliseconds; 0: none. */
  readonly lockTimeoutMs: number;
  /** Limit of the server for an idle transaction, in milliseconds; 0: none. */
  readonly idleTransactionTimeoutMs: number;
  /** Idle time before TCP keep-alive probes, in milliseconds. */
  readonly keepAliveMs: number;
  /** Life of a connection, in seconds; 0: no limit. */
  readonly lifetimeSeconds: number;
}

/** The server ends a statement before the gateway gives up the connection, so slow ones cost no connection. */
export const postgresDefaults: PostgresSettings = {
  connections: 20,
  connectTimeoutMs: 3_000,
  queryTimeoutMs: 9_000,
  statementTimeoutMs: 8_000,
  lockTimeoutMs: 2_000,
  idleTransactionTimeoutMs: 10_000,
  keepAliveMs: 5_000,
  lifetimeSeconds: 1_800,
};

/** Long statements, short waits for locks, behind which all queue. The second connection finds the blocker. */
export const forMigrations = (settings: PostgresSettings): PostgresSettings => ({
  ...settings,
  connections: 2,
  queryTimeoutMs: 0,
  statementTimeoutMs: 0,
  lockTimeoutMs: 300,
  idleTransactionTimeoutMs: 0,
});
