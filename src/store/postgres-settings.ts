/** How the gateway uses a Postgres server: how many connections, and how long it waits for them. */
export interface PostgresSettings {
  /** Connections of one process, without the one that listens. */
  readonly connections: number;
  /** How long to wait for a new connection, or for one to become free, in milliseconds. */
  readonly connectTimeoutMs: number;
  /** How long to wait for a response before the connection counts as silent and is given up, in milliseconds; 0: for ever. */
  readonly queryTimeoutMs: number;
  /** How long the server works on one statement, in milliseconds; 0: for ever. */
  readonly statementTimeoutMs: number;
  /** How long the server lets a statement wait for a lock, in milliseconds; 0: for ever. */
  readonly lockTimeoutMs: number;
  /** How long the server keeps a transaction in which nothing happens, in milliseconds; 0: for ever. */
  readonly idleTransactionTimeoutMs: number;
  /** After how long the system asks a connection without traffic for a sign of life, in milliseconds. */
  readonly keepAliveMs: number;
  /** How long a connection is used, in seconds; 0: for ever. */
  readonly lifetimeSeconds: number;
}

/**
 * The server ends a statement before the gateway gives up the connection: whoever only waits long gets an error, and keeps
 * its connection.
 */
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

/**
 * For migrations, which take as long as they take, but wait for a lock only briefly: whoever comes after them waits behind
 * them, gateways of before, too. The second connection finds out whom the first one waits for.
 */
export const forMigrations = (settings: PostgresSettings): PostgresSettings => ({
  ...settings,
  connections: 2,
  queryTimeoutMs: 0,
  statementTimeoutMs: 0,
  lockTimeoutMs: 300,
  idleTransactionTimeoutMs: 0,
});
