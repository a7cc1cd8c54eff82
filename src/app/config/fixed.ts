/** What has no variable, and what had one. */
import { postgresDefaults } from '../../store/postgres-settings.ts';

/** What no deployment had to change, and tests do. */
export const fixed = {
  responseBytes: 16_777_216,
  deliveryBytes: 67_108_864,
  cachedBytes: 67_108_864,
  upstreamCalls: 120,
  upstreamBytes: 16_777_216,
  dnsServers: [] as readonly string[],
} as const;

const always = (value: string | number) => `it is always ${value}`;

/** Variables of earlier versions, and what is true without them. */
export const removed: Readonly<Record<string, string>> = {
  PERSISTED_QUERIES: 'each process keeps the documents of persisted queries for itself',
  DATABASE_CONNECT_TIMEOUT_MS: always(postgresDefaults.connectTimeoutMs),
  DATABASE_START_WAIT_S: always(postgresDefaults.startWaitSeconds),
  DATABASE_QUERY_TIMEOUT_MS: always(postgresDefaults.queryTimeoutMs),
  DATABASE_STATEMENT_TIMEOUT_MS: always(postgresDefaults.statementTimeoutMs),
  DATABASE_LOCK_TIMEOUT_MS: always(postgresDefaults.lockTimeoutMs),
  DATABASE_IDLE_TRANSACTION_TIMEOUT_MS: always(postgresDefaults.idleTransactionTimeoutMs),
  DATABASE_KEEPALIVE_MS: always(postgresDefaults.keepAliveMs),
  DATABASE_CONNECTION_LIFETIME_S: always(postgresDefaults.lifetimeSeconds),
  DELIVERIES_PER_SECOND: always('ten times EVENTS_PER_SECOND'),
  DELIVERY_MAX_BYTES: always(fixed.deliveryBytes),
  DNS_SERVERS: 'the name servers are those of /etc/resolv.conf',
  EVENT_BYTES_PER_SECOND: 'EVENTS_PER_SECOND has a limit of bytes',
  GRAPHQL_MAX_BYTES: always(fixed.responseBytes),
  METRICS_HOST: 'METRICS_PORT takes an address: METRICS_PORT=0.0.0.0:9464',
  RESPONSE_CACHE_MAX_BYTES: always(fixed.cachedBytes),
  SANDBOX_PICTURES_URL: 'set PUBLIC_URL instead',
  STREAMS_PER_PROCESS: always('ten times STREAMS_PER_KEY'),
  STREAMS_PER_WORKSPACE: always('five times STREAMS_PER_KEY'),
  UPSTREAM_BUDGET_MS: always('twice UPSTREAM_TIMEOUT_MS'),
  UPSTREAM_MAX_BYTES: always(fixed.upstreamBytes),
  UPSTREAM_MAX_CALLS: always(fixed.upstreamCalls),
  WRONG_KEYS_PER_MINUTE: 'KEYLESS_PER_MINUTE limits them too',
};
