import { type PostgresSettings, postgresDefaults } from '../../store/postgres-settings.ts';
import { wholeNumber } from './values.ts';
import { variable } from './variable.ts';

const number = (help: string, fallback: number, min: number, max: number) =>
  variable(help, String(fallback), wholeNumber(min, max));

/** An hour: more might as well have no limit. */
const maxMs = 3_600_000;

export const postgresVariables = {
  DATABASE_CONNECTIONS: number(
    'Largest number of connections to Postgres, apart from the one that listens. Keys, accounts and jobs get a fifth each, the delivery queue a tenth, webhooks and deliveries the rest.',
    postgresDefaults.connections,
    5,
    1_000,
  ),
  DATABASE_CONNECT_TIMEOUT_MS: number(
    'How long to wait for a connection to Postgres, in milliseconds.',
    postgresDefaults.connectTimeoutMs,
    1,
    maxMs,
  ),
  DATABASE_START_WAIT_S: number(
    'How long a starting gateway tries to reach Postgres, in seconds, each second once. `0` tries once.',
    postgresDefaults.startWaitSeconds,
    0,
    3_600,
  ),
  DATABASE_QUERY_TIMEOUT_MS: number(
    'How long to wait for a response of Postgres, in milliseconds, before the connection counts as lost. Set it above `DATABASE_STATEMENT_TIMEOUT_MS`. `0` sets no limit.',
    postgresDefaults.queryTimeoutMs,
    0,
    maxMs,
  ),
  DATABASE_STATEMENT_TIMEOUT_MS: number(
    'How long Postgres works on one statement, in milliseconds. `0` sets no limit.',
    postgresDefaults.statementTimeoutMs,
    0,
    maxMs,
  ),
  DATABASE_LOCK_TIMEOUT_MS: number(
    'How long a statement waits for a lock in Postgres, in milliseconds. `0` sets no limit.',
    postgresDefaults.lockTimeoutMs,
    0,
    maxMs,
  ),
  DATABASE_IDLE_TRANSACTION_TIMEOUT_MS: number(
    'How long Postgres keeps an idle transaction open, in milliseconds. `0` sets no limit.',
    postgresDefaults.idleTransactionTimeoutMs,
    0,
    maxMs,
  ),
  DATABASE_KEEPALIVE_MS: number(
    'How long a connection to Postgres is idle before TCP probes it, in milliseconds.',
    postgresDefaults.keepAliveMs,
    1_000,
    maxMs,
  ),
  DATABASE_CONNECTION_LIFETIME_S: number(
    'How long a connection to Postgres is used, in seconds. `0` sets no limit.',
    postgresDefaults.lifetimeSeconds,
    0,
    86_400,
  ),
} as const;

export const postgresSettings = (values: { readonly [Name in keyof typeof postgresVariables]: number }) =>
  ({
    connections: values.DATABASE_CONNECTIONS,
    connectTimeoutMs: values.DATABASE_CONNECT_TIMEOUT_MS,
    startWaitSeconds: values.DATABASE_START_WAIT_S,
    queryTimeoutMs: values.DATABASE_QUERY_TIMEOUT_MS,
    statementTimeoutMs: values.DATABASE_STATEMENT_TIMEOUT_MS,
    lockTimeoutMs: values.DATABASE_LOCK_TIMEOUT_MS,
    idleTransactionTimeoutMs: values.DATABASE_IDLE_TRANSACTION_TIMEOUT_MS,
    keepAliveMs: values.DATABASE_KEEPALIVE_MS,
    lifetimeSeconds: values.DATABASE_CONNECTION_LIFETIME_S,
  }) satisfies PostgresSettings;
