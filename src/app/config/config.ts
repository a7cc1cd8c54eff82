/**
 * The only reader of the environment. It returns one frozen Config, or throws a ConfigError
 * that names the variable and the cure.
 */
import { dirname } from 'node:path';
import type { RateLimitSettings } from '../../auth/rate-limits.ts';
import type { StreamLimits } from '../../auth/streams.ts';
import type { ResponseCacheSettings } from '../../cache/settings.ts';
import type { DocumentSettings } from '../../graphql/documents/document-manifest.ts';
import { ConfigError } from '../../kernel/config-error.ts';
import type { AddressBlock } from '../../net/addresses.ts';
import type { DatabaseLocation } from '../../store/database.ts';
import type { TelemetrySettings } from '../../telemetry/settings.ts';
import type { UpstreamSettings } from '../../upstream/settings.ts';
import { installationName } from './installation.ts';
import { postgresSettings } from './postgres.ts';
import { telemetrySettings } from './telemetry.ts';
import { refuseTypos } from './typos.ts';
import { type Environment, fileVariable, readAll } from './variable.ts';
import { type LogLevel, secretNames, type Variables, variables, variableTable } from './variables.ts';

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly database: DatabaseLocation;
  /** The folder for the gateway's own files: that of the SQLite file, else `.data`. */
  readonly dataDirectory: string;
  readonly production: boolean;
  readonly logLevel: LogLevel;
  readonly telemetry: TelemetrySettings;
  /** How long a gateway that stops serves on, in milliseconds. */
  readonly shutdownDelayMs: number;
  /** Authenticates cursors and encrypts webhook secrets. Undefined: created once and kept in the data directory. */
  readonly secret: string | undefined;
  /** The former secret, while it is being changed. */
  readonly previousSecret: string | undefined;
  /** What no line of the log has: every secret above and below, and the passwords of the addresses. */
  readonly secrets: readonly string[];
  /** Whether an empty database gets a demo workspace. */
  readonly demo: boolean;
  /** Whether browsers that open the GraphQL endpoint get GraphiQL. */
  readonly graphiql: boolean;
  readonly webhooksPage: boolean;
  /** Whether clients can read the schema, and errors suggest its names. */
  readonly introspection: boolean;
  /** Whether the gateway is a subgraph of a supergraph. */
  readonly federation: boolean;
  /** The origins whose pages may read responses. */
  readonly corsOrigins: readonly string[];
  /** The trusted documents; null without a manifest. */
  readonly documents: DocumentSettings | null;
  /** The largest cost of a GraphQL operation. */
  readonly maxOperationCost: number;
  /** The largest GraphQL response, in bytes. */
  readonly maxResponseBytes: number;
  /** Whether the gateway itself compresses responses. */
  readonly compression: boolean;
  readonly compiledOperations: boolean;
  /** Where responses are cached; null if they are not. */
  readonly responseCache: ResponseCacheSettings | null;
  /** Addresses that webhooks may point to although they are not public. */
  readonly outboundAllow: readonly AddressBlock[];
  /** The name servers that resolve the host names of webhooks; empty for those of the system. */
  readonly dnsServers: readonly string[];
  /** How many days events and their finished or held deliveries are kept. */
  readonly deliveryRetentionDays: number;
  /** How many events are kept, the newest; 0 for any number. */
  readonly deliveryMaxEvents: number;
  /** How many bytes of payloads are in memory at once. */
  readonly deliveryMaxBytes: number;
  readonly rateLimits: RateLimitSettings;
  /** 0 stands for any number. */
  readonly webhooksPerWorkspace: number;
  /** Proxies whose `X-Forwarded-For` tells the address of a client. */
  readonly trustProxy: readonly AddressBlock[];
  /** How many subscriptions can be open. */
  readonly streams: StreamLimits;
  /** The service behind the upstream backend; null for the embedded backend. */
  readonly upstream: UpstreamSettings | null;
}

/** Two probes of a load balancer, at the usual two seconds; or what Kubernetes needs to spread the word. */
const productionShutdownDelayMs = 5_000;

/**
 * Reads the configuration.
 * @throws ConfigError for the first variable with an invalid value
 */
export function readConfig(environment: Environment): Config {
  refuseTypos([...variableTable.map(({ name }) => name), ...secretNames.map(fileVariable)], environment);
  const values: Variables = readAll(variables, environment);
  const location = values.DATABASE_URL;
  const database = location.kind === 'postgres' ? { ...location, settings: postgresSettings(values) } : location;
  const production = values.NODE_ENV === 'production';
  const upstream = upstreamSettings(values);
  const needsDatabase = upstream === null || upstream.apiKey !== undefined;
  if (production && needsDatabase && !environment.DATABASE_URL && !environment.DATABASE_URL_FILE) {
    throw new ConfigError('DATABASE_URL must be set in production: to sqlite:<file>, or to postgres://…');
  }
  return Object.freeze({
    host: values.HOST,
    port: values.PORT,
    database,
    dataDirectory: database.kind === 'sqlite' && database.file !== ':memory:' ? dirname(database.file) : '.data',
    production,
    logLevel: values.LOG_LEVEL,
    telemetry: telemetrySettings(values, values.PORT),
    shutdownDelayMs: values.SHUTDOWN_DELAY_MS ?? (production ? productionShutdownDelayMs : 0),
    secret: values.SECRET,
    previousSecret: values.SECRET_PREVIOUS,
    secrets: secretsOf(values),
    demo: values.DEMO === undefined ? !production : values.DEMO === 'on',
    graphiql: values.GRAPHIQL === 'on',
    webhooksPage: values.WEBHOOKS_PAGE === 'on',
    introspection: values.INTROSPECTION === 'on',
    federation: values.FEDERATION === 'on',
    corsOrigins: values.CORS_ORIGINS,
    documents: documentSettings(values),
    compression: values.COMPRESSION === 'on',
    compiledOperations: values.COMPILED_OPERATIONS === 'on',
    responseCache: responseCacheSettings(values, upstream),
    maxOperationCost: values.GRAPHQL_MAX_COST,
    maxResponseBytes: values.GRAPHQL_MAX_BYTES,
    outboundAllow: values.OUTBOUND_ALLOW,
    dnsServers: values.DNS_SERVERS,
    deliveryRetentionDays: values.DELIVERY_RETENTION_DAYS,
    deliveryMaxEvents: values.DELIVERY_MAX_EVENTS,
    deliveryMaxBytes: values.DELIVERY_MAX_BYTES,
    rateLimits: {
      requestsPerMinute: values.REQUESTS_PER_MINUTE,
      wrongKeysPerMinute: values.WRONG_KEYS_PER_MINUTE,
      keylessPerMinute: values.KEYLESS_PER_MINUTE,
      eventsPerSecond: values.EVENTS_PER_SECOND,
      deliveriesPerSecond: values.DELIVERIES_PER_SECOND,
    },
    webhooksPerWorkspace: values.WEBHOOKS_PER_WORKSPACE,
    trustProxy: values.TRUST_PROXY,
    streams: { perKey: values.STREAMS_PER_KEY, perProcess: values.STREAMS_PER_PROCESS },
    upstream,
  });
}

function secretsOf(values: Variables): string[] {
  const { DATABASE_URL: location, REDIS_URL, SECRET, SECRET_PREVIOUS, UPSTREAM_API_KEY, UPSTREAM_HEADERS } = values;
  const addresses = [location.kind === 'postgres' ? location.url : undefined, REDIS_URL];
  const passwords = addresses.flatMap((address) => {
    const url = URL.parse(address ?? '');
    const raw = url?.password ?? '';
    return [raw, unescaped(raw), url?.searchParams.get('password')];
  });
  return [SECRET, SECRET_PREVIOUS, UPSTREAM_API_KEY, ...Object.values(UPSTREAM_HEADERS ?? {}), ...passwords].filter(
    (secret) => typeof secret === 'string',
  );
}

const unescaped = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** Whoever has a manifest and says nothing more expects that it protects: that it does not would be seen by nobody. */
function documentSettings({ DOCUMENTS, DOCUMENTS_MODE, FEDERATION }: Variables): DocumentSettings | null {
  if (DOCUMENTS !== undefined) {
    const mode = DOCUMENTS_MODE ?? 'only';
    if (mode === 'only' && FEDERATION === 'on') {
      throw new ConfigError(
        'FEDERATION=on needs DOCUMENTS_MODE=prefer: the gateway of a supergraph writes documents that are in no manifest',
      );
    }
    return { manifest: DOCUMENTS, mode };
  }
  if (DOCUMENTS_MODE === undefined) return null;
  throw new ConfigError('DOCUMENTS_MODE needs a manifest: set DOCUMENTS too, or leave it out');
}

function responseCacheSettings(values: Variables, upstream: UpstreamSettings | null): ResponseCacheSettings | null {
  const { RESPONSE_CACHE: kind, RESPONSE_CACHE_MAX_AGE, RESPONSE_CACHE_MAX_BYTES, DATABASE_URL, REDIS_URL } = values;
  if (kind === 'off') return null;
  if (upstream !== null && upstream.apiKey === undefined) {
    throw new ConfigError(
      'RESPONSE_CACHE needs API keys of this gateway: set UPSTREAM_API_KEY too, or leave it out. A key that the service checks would get cached responses after the service has revoked it',
    );
  }
  const common = { maxAge: RESPONSE_CACHE_MAX_AGE };
  if (kind === 'memory' && DATABASE_URL.kind === 'postgres') {
    throw new ConfigError(
      'RESPONSE_CACHE=memory is for one gateway on a SQLite file: with Postgres set RESPONSE_CACHE=redis, which several share',
    );
  }
  if (kind === 'memory') return { kind, ...common, maxBytes: RESPONSE_CACHE_MAX_BYTES };
  if (REDIS_URL === undefined) throw new ConfigError('RESPONSE_CACHE=redis needs a server: set REDIS_URL too');
  return { kind, ...common, url: REDIS_URL, installation: installationName(DATABASE_URL, upstream) };
}

function upstreamSettings(values: Variables): UpstreamSettings | null {
  const address = values.UPSTREAM_URL;
  if (address === null) {
    const alone = (['UPSTREAM_API_KEY', 'UPSTREAM_NAMES', 'UPSTREAM_HEADERS'] as const).find(
      (name) => values[name] !== undefined,
    );
    if (alone !== undefined) throw new ConfigError(`${alone} needs an upstream: set UPSTREAM_URL too, or leave it out`);
    return null;
  }
  return {
    ...address,
    apiKey: values.UPSTREAM_API_KEY,
    names: values.UPSTREAM_NAMES ?? {},
    actsOnce: values.UPSTREAM_IDEMPOTENCY === 'on',
    headers: values.UPSTREAM_HEADERS ?? {},
    timeoutMs: values.UPSTREAM_TIMEOUT_MS,
    budgetMs: values.UPSTREAM_BUDGET_MS,
    maxCalls: values.UPSTREAM_MAX_CALLS,
    connections: values.UPSTREAM_CONNECTIONS,
    maxBytes: values.UPSTREAM_MAX_BYTES,
  };
}

/** The variables as `--help` prints them: a line for each. */
export function configHelp(): string {
  return variableTable
    .map(({ name, help, fallback }) => {
      const text = help.replaceAll('`', '');
      return `  ${name.padEnd(38)}${text}${fallback === '' ? '' : ` Default: ${fallback}`}`;
    })
    .join('\n')
    .concat(
      `\n\nA file can have the value of ${secretNames.join(', ')}: set SECRET_FILE to the path of one, for example.`,
    );
}
