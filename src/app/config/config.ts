/** The only reader of the environment. */
import { hash } from 'node:crypto';
import { basename, dirname, join, resolve } from 'node:path';
import type { ResponseCacheSettings } from '../../cache/response-store.ts';
import type { DocumentSettings } from '../../graphql/documents/document-manifest.ts';
import { ConfigError } from '../../kernel/config-error.ts';
import { keysOf } from '../../kernel/lib/objects.ts';
import type { SetUp } from '../../kernel/set-up.ts';
import { isLoopback, loopback } from '../../net/addresses.ts';
import type { ProxySettings } from '../../net/proxies.ts';
import type { DatabaseLocation } from '../../store/database.ts';
import { postgresDefaults } from '../../store/postgres-settings.ts';
import type { TelemetrySettings } from '../../telemetry/telemetry.ts';
import type { UpstreamSettings } from '../../upstream/settings.ts';
import type { IntakeSettings } from '../intake/intake.ts';
import {
  environmentOf,
  readEnvironment,
  setInVain,
  type VariableOptions,
  type Variables,
  withProxyNames,
} from './environment.ts';
import { fixed } from './fixed.ts';
import { type Environment, secretNames, secretsIn } from './secrets.ts';
import { withoutLastSlashes } from './values.ts';
import { variables, variableTable } from './variables.ts';

export type Config = ReturnType<typeof readConfig>;

/** Two probes of a load balancer at its usual two seconds, or the time in which Kubernetes spreads the word. */
const productionShutdownDelayMs = 5_000;

/** @throws ConfigError for the first variable with an invalid value */
export function readConfig(given: Environment) {
  const environment = withProxyNames(given);
  const { values, isSet } = readEnvironment(environment);
  const database = databaseOf(values);
  const production = values.NODE_ENV === 'production';
  const proxies = { http: values.HTTP_PROXY, https: values.HTTPS_PROXY, except: values.NO_PROXY };
  const upstream = upstreamSettings(values, proxies);
  const needsDatabase = upstream === null || upstream.apiKey !== undefined;
  const intake = intakeSettings(values, upstream);
  const alone = keysOf(variables).find((name) => name.startsWith('UPSTREAM_') && isSet(name));
  if (upstream === null && alone !== undefined) {
    throw new ConfigError(`${alone} needs an upstream: set UPSTREAM_URL too, or leave it out`);
  }
  if (production && needsDatabase && !isSet('DATABASE_URL')) {
    throw new ConfigError('DATABASE_URL must be set in production: to sqlite:<file>, or to postgres://…');
  }
  const dataDirectory = database.kind === 'sqlite' && database.file !== ':memory:' ? dirname(database.file) : '.data';
  const demo = values.DEMO ?? !production;
  // Of a developer's own machine. Others can reach a gateway that listens elsewhere.
  const isLocal = values.NODE_ENV === 'development' && isLoopback(values.HOST);
  const isOpen = (name: 'CORS_ORIGINS' | 'OUTBOUND_ALLOW') => isLocal && !isSet(name);
  return Object.freeze({
    host: values.HOST,
    port: values.PORT,
    processes: processesOf(values, needsDatabase),
    database,
    /** Forwarded API keys need none, so that any number of replicas can run. */
    needsDatabase,
    /** Decides what the schema has. */
    setUp: setUpOf(upstream, intake),
    /** Folder of the gateway's own files: that of the SQLite file, else `.data`. */
    dataDirectory,
    demoKeyFile: join(dataDirectory, demoKeyName(database)),
    production,
    logLevel: values.LOG_LEVEL,
    /** To be told: variables that are set and have no effect. */
    inVain: setInVain(environment),
    /** To be told: what is allowed in development alone. */
    openings: [
      ...(isOpen('OUTBOUND_ALLOW') ? ['webhooks may lead to loopback addresses (OUTBOUND_ALLOW)'] : []),
      ...(isOpen('CORS_ORIGINS') ? ['pages of loopback origins may call (CORS_ORIGINS)'] : []),
    ],
    telemetry: telemetrySettings(values, proxies),
    /** Life of an idle connection. */
    keepAliveMs: values.KEEP_ALIVE_MS,
    /** Milliseconds of service after the order to stop. */
    shutdownDelayMs: values.SHUTDOWN_DELAY_MS ?? (production ? productionShutdownDelayMs : 0),
    /** Undefined: created once and kept in the data directory. */
    secret: values.SECRET,
    previousSecret: values.SECRET_PREVIOUS,
    secrets: secretsIn(environment),
    demo,
    /** Where the pictures of the sandbox networks are; null if they are not served. */
    sandboxPictures: demo && upstream === null ? (values.PUBLIC_URL ?? addressHere(values.HOST, values.PORT)) : null,
    graphiql: values.GRAPHIQL,
    /** Only our own delivery engine knows its contents. */
    webhooksPage: values.WEBHOOKS_PAGE && (upstream === null || values.WEBHOOKS === 'own'),
    /** Also whether errors suggest names. */
    introspection: values.INTROSPECTION,
    federation: values.FEDERATION,
    corsOrigins: isOpen('CORS_ORIGINS') ? ('loopback' as const) : values.CORS_ORIGINS,
    documents: documentSettings(values),
    compression: values.COMPRESSION,
    compiledOperations: values.COMPILED_OPERATIONS,
    responseCache: responseCacheSettings(values, upstream),
    maxOperationCost: values.GRAPHQL_MAX_COST,
    maxResponseBytes: fixed.responseBytes,
    outboundAllow: isOpen('OUTBOUND_ALLOW') ? loopback : values.OUTBOUND_ALLOW,
    /** On the way to webhooks. */
    outboundProxies: values.OUTBOUND_PROXY ? proxies : undefined,
    /** Those of `/etc/resolv.conf`. */
    dnsServers: fixed.dnsServers,
    deliveryRetentionDays: values.DELIVERY_RETENTION_DAYS,
    /** The newest; 0 for any number. */
    deliveryMaxEvents: values.DELIVERY_MAX_EVENTS,
    /** Payloads that a process holds. One webhook gets an eighth of them at most. */
    deliveryMaxBytes: fixed.deliveryBytes,
    rateLimits: rateLimitsOf(values),
    /** 0 stands for any number. */
    webhooksPerWorkspace: values.WEBHOOKS_PER_WORKSPACE,
    storedBytesPerWorkspace: values.STORED_BYTES_PER_WORKSPACE,
    trustProxy: values.TRUST_PROXY,
    streams: streamLimitsOf(values.STREAMS_PER_KEY),
    upstream,
    intake,
    /** How `postern listen` calls a gateway, as the examples do. */
    client: { url: given.POSTERN_URL || addressHere(values.HOST, values.PORT), key: given.POSTERN_KEY },
  });
}

/** Several share nothing but a database and what they tell each other. */
function processesOf({ PROCESSES, DATABASE_URL, RESPONSE_CACHE }: Variables, needsDatabase: boolean): number {
  if (PROCESSES === 1) return 1;
  if (RESPONSE_CACHE === 'memory')
    throw new ConfigError('PROCESSES needs a response cache that all processes share: set RESPONSE_CACHE=redis');
  if (needsDatabase && DATABASE_URL.kind === 'sqlite' && DATABASE_URL.file === ':memory:')
    throw new ConfigError(
      'PROCESSES needs a database that all processes share: set DATABASE_URL to a file or a server',
    );
  return PROCESSES;
}

/**
 * The configuration of a gateway in a program. @param environment of the program: its NODE_ENV is the default, and its
 * secrets are kept out of the log, too. @throws ConfigError for an unknown option, and as {@link readConfig}
 */
export function readOptions(options: VariableOptions, environment: Environment): Config {
  const config = readConfig({ NODE_ENV: environment.NODE_ENV, ...environmentOf(options) });
  return { ...config, secrets: [...config.secrets, ...secretsIn(environment)] };
}

const rateLimitsOf = (values: Variables) => ({
  requestsPerMinute: values.REQUESTS_PER_MINUTE,
  wrongKeysPerMinute: values.KEYLESS_PER_MINUTE,
  keylessPerMinute: values.KEYLESS_PER_MINUTE,
  eventsPerSecond: values.EVENTS_PER_SECOND,
  // At least those of the default, or there were no large events where few are allowed.
  eventBytesPerSecond: values.EVENTS_PER_SECOND && Math.ceil(8_388_608 * Math.max(values.EVENTS_PER_SECOND / 100, 1)),
  deliveriesPerSecond: values.EVENTS_PER_SECOND * 10,
});

const streamLimitsOf = (perKey: number) => ({ perKey, perWorkspace: perKey * 5, perProcess: perKey * 10 });

function setUpOf(upstream: UpstreamSettings | null, intake: IntakeSettings | null): SetUp {
  if (upstream === null) return 'embedded';
  if (upstream.apiKey === undefined) return 'forwarded-keys';
  return intake === null ? 'own-keys' : 'own-webhooks';
}

function intakeSettings(
  { WEBHOOKS, PUBLIC_URL, INTAKE_EVENTS }: Variables,
  upstream: UpstreamSettings | null,
): IntakeSettings | null {
  if (WEBHOOKS === 'service') return null;
  if (upstream?.apiKey === undefined) {
    throw new ConfigError('WEBHOOKS=own needs a service and a key for it: set UPSTREAM_URL and UPSTREAM_API_KEY too');
  }
  if (PUBLIC_URL === undefined) {
    throw new ConfigError('WEBHOOKS=own needs an address that the service can reach: set PUBLIC_URL too');
  }
  return { publicUrl: PUBLIC_URL, events: INTAKE_EVENTS };
}

function databaseOf(values: Variables): DatabaseLocation {
  const { DATABASE_URL: location, DATABASE_DIRECT_URL: direct } = values;
  if (location.kind === 'postgres')
    return {
      ...location,
      directUrl: direct,
      settings: { ...postgresDefaults, connections: values.DATABASE_CONNECTIONS },
    };
  if (direct === undefined) return location;
  throw new ConfigError('DATABASE_DIRECT_URL needs a pooler of Postgres: set DATABASE_URL to it, or leave it out');
}

/** A manifest without further settings is expected to protect: nobody would notice that it does not. */
function documentSettings({ DOCUMENTS, DOCUMENTS_MODE, FEDERATION }: Variables): DocumentSettings | null {
  if (DOCUMENTS !== undefined) {
    const mode = DOCUMENTS_MODE ?? 'only';
    if (mode === 'only' && FEDERATION) {
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
  const { RESPONSE_CACHE: kind, RESPONSE_CACHE_MAX_AGE, DATABASE_URL, REDIS_URL } = values;
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
  if (kind === 'memory') return { kind, ...common, maxBytes: fixed.cachedBytes };
  if (REDIS_URL === undefined) throw new ConfigError('RESPONSE_CACHE=redis needs a server: set REDIS_URL too');
  return { kind, ...common, url: REDIS_URL, installation: installationName(DATABASE_URL, upstream) };
}

function upstreamSettings(values: Variables, proxies: ProxySettings): UpstreamSettings | null {
  const { UPSTREAM_URL: address, UPSTREAM_TIMEOUT_MS: timeoutMs } = values;
  if (address === undefined) return null;
  return {
    ...address,
    proxies,
    apiKey: values.UPSTREAM_API_KEY,
    names: values.UPSTREAM_NAMES ?? {},
    actsOnce: values.UPSTREAM_IDEMPOTENCY,
    headers: values.UPSTREAM_HEADERS ?? {},
    timeoutMs,
    budgetMs: timeoutMs * 2,
    maxCalls: fixed.upstreamCalls,
    connections: values.UPSTREAM_CONNECTIONS,
    maxBytes: fixed.upstreamBytes,
  };
}

/** For `--help`: a line for each variable. */
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

/** @param port 0 for any */
function addressHere(host: string, port: number): string | null {
  if (port === 0) return null;
  // What listens on every address is on this machine.
  const name = ['0.0.0.0', '::'].includes(host) ? 'localhost' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** One for each database: several may have the same data directory. */
function demoKeyName(database: DatabaseLocation): string {
  if (database.kind === 'sqlite') {
    const name = basename(database.file);
    return name === 'postern.db' ? 'demo-key' : `demo-key-${name.replaceAll(':', '')}`;
  }
  const { hostname, port, pathname } = new URL(database.url);
  return ['demo-key', hostname, port, pathname]
    .map((part) => part.replaceAll(/[^\w.-]+/g, ''))
    .filter((part) => part !== '')
    .join('-');
}

/**
 * A name for data of several installations in one place, equal in all processes on the same data. Made of addresses,
 * not of secrets, which change while processes with the former ones still run.
 */
function installationName(database: DatabaseLocation, upstream: UpstreamSettings | null): string {
  const service = upstream && [upstream.origin, upstream.basePath];
  return hash('sha256', JSON.stringify([hostAddressOf(database), service]), 'base64url').slice(0, 16);
}

/** Without users and settings, which may differ between processes. */
function hostAddressOf(database: DatabaseLocation): readonly string[] {
  if (database.kind === 'sqlite') return [resolve(database.file)];
  const { hostname, port, pathname, username, searchParams } = new URL(database.url);
  const name = pathname.slice(1) || username;
  return [(searchParams.get('host') ?? hostname).toLowerCase(), searchParams.get('port') ?? (port || '5432'), name];
}

/** Beside GraphQL only for a port alone: an address that is named may be one that fewer can reach. */
const metricsAddress = ({ host, port }: NonNullable<Variables['METRICS_PORT']>, mainPort: number) => ({
  host: host ?? '127.0.0.1',
  port,
  onMainPort: host === undefined && port === mainPort && port !== 0,
});

/** @param proxies on the way to the collector */
function telemetrySettings(values: Variables, proxies: ProxySettings): TelemetrySettings {
  const send = !values.OTEL_SDK_DISABLED;
  const common = values.OTEL_EXPORTER_OTLP_ENDPOINT;
  const urlFor = (path: string) => (common === undefined ? null : `${withoutLastSlashes(common)}/v1/${path}`);
  const traces = values.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? urlFor('traces');
  const metrics = values.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT ?? urlFor('metrics');
  const prometheus = values.METRICS_PORT;
  return {
    serviceName: values.OTEL_SERVICE_NAME,
    tracesUrl: send && values.OTEL_TRACES_EXPORTER === 'otlp' ? traces : null,
    metricsUrl: send && values.OTEL_METRICS_EXPORTER === 'otlp' ? metrics : null,
    proxies,
    metricsIntervalMs: values.OTEL_METRIC_EXPORT_INTERVAL,
    sampler: values.OTEL_TRACES_SAMPLER,
    samplerRatio: values.OTEL_TRACES_SAMPLER_ARG,
    prometheus: prometheus ? metricsAddress(prometheus, values.PORT) : null,
  };
}
