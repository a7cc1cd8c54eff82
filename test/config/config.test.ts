/** The environment: the default of each variable, the values that it accepts, and the error for any other value. */

import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Config, configHelp, readConfig } from '../../src/app/config/config.ts';
import { removed } from '../../src/app/config/fixed.ts';
import { secretNames } from '../../src/app/config/secrets.ts';
import { logLevels } from '../../src/app/config/variables.ts';
import { ConfigError } from '../../src/kernel/config-error.ts';
import type { ProxySettings } from '../../src/net/proxies.ts';
import { postgresDefaults } from '../../src/store/postgres-settings.ts';
import { traceSamplers } from '../../src/telemetry/telemetry.ts';
import { pageAt } from '../support/docs.ts';
import { runProcess, temporaryDirectory } from '../support/process.ts';

interface VariableCase {
  /** The part of the Config that the variable sets. */
  readonly of: (config: Config) => unknown;
  /** Its value when the variable is not set. */
  readonly unset: unknown;
  readonly good: readonly (readonly [value: string, read: unknown])[];
  /** Values that are refused, and the text that the message contains. */
  readonly bad: readonly (readonly [value: string, message: string])[];
  /** Other variables that it needs. */
  readonly needs?: Readonly<Record<string, string>>;
  /** What has its value read, and refuses to be set without one. */
  readonly readWith?: Readonly<Record<string, string>>;
  /** Its values may be secrets: no message repeats them. */
  readonly secret?: true;
}

const databaseCure = 'DATABASE_URL must be sqlite:<file> or postgres://<user>:<password>@<host>/<database>';
const secretCure = 'SECRET must have at least 32 characters: create one with "openssl rand -base64 32"';

const upstream = { UPSTREAM_URL: 'http://h' };
const fronting = { ...upstream, UPSTREAM_API_KEY: 'k', PUBLIC_URL: 'https://g.example' };
const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318' };

const proxyCase = (name: string, of: (proxies: ProxySettings) => URL | undefined): VariableCase => ({
  of: ({ outboundProxies }) => outboundProxies && of(outboundProxies)?.href,
  unset: undefined,
  good: [
    ['http://user:password@host:3128', 'http://user:password@host:3128/'],
    ['host:3128', 'http://host:3128/'],
  ],
  bad: [
    ['socks5://u:hunter2@host', `${name} must be http://<host>:<port> or https://<host>:<port>`],
    ['http://', `${name} must be http://<host>:<port>`],
  ],
  needs: { OUTBOUND_PROXY: 'on' },
  secret: true,
});

const countOf = (name: string, of: VariableCase['of'], unset: number): VariableCase => ({
  of,
  unset,
  good: [
    ['7', 7],
    ['0', 0],
  ],
  bad: [['-1', `${name} must be a whole number from 0 to `]],
});

const switchOf = (name: string, of: VariableCase['of'], unset: boolean): VariableCase => ({
  of,
  unset,
  good: [
    ['on', true],
    ['off', false],
  ],
  bad: [['yes', `${name} must be one of on, off, but is "yes"`]],
});

const onPostgres = { kind: 'postgres', settings: postgresDefaults, dataDirectory: '.data' };

const manifestFile = join(import.meta.dirname, '../graphql/manifest.json');

const cases: Readonly<Record<string, VariableCase>> = {
  HOST: { of: ({ host }) => host, unset: '127.0.0.1', good: [['0.0.0.0', '0.0.0.0']], bad: [] },
  PORT: {
    of: ({ port }) => port,
    unset: 4000,
    good: [
      ['0', 0],
      ['65535', 65_535],
    ],
    bad: ['65536', '-1', '80a', '1.5', ' 80', '0x50'].map((value) => [
      value,
      `PORT must be a whole number from 0 to 65535, but is "${value}"`,
    ]),
  },
  PROCESSES: {
    of: ({ processes }) => processes,
    unset: 1,
    good: [
      ['4', 4],
      ['auto', Math.min(availableParallelism(), 64)],
    ],
    bad: ['0', '65', 'all'].map((value) => [value, `PROCESSES must be a whole number from 1 to 64, but is "${value}"`]),
  },
  DATABASE_URL: {
    of: ({ database, dataDirectory }) => ({ ...database, dataDirectory }),
    unset: { kind: 'sqlite', file: './.data/postern.db', dataDirectory: './.data' },
    good: [
      ['sqlite:/var/x/y.db', { kind: 'sqlite', file: '/var/x/y.db', dataDirectory: '/var/x' }],
      ['sqlite:///var/x/y.db', { kind: 'sqlite', file: '/var/x/y.db', dataDirectory: '/var/x' }],
      ['sqlite:y.db', { kind: 'sqlite', file: 'y.db', dataDirectory: '.' }],
      ['sqlite::memory:', { kind: 'sqlite', file: ':memory:', dataDirectory: '.data' }],
      ['postgres://u:p@h:5432/d', { ...onPostgres, url: 'postgres://u:p@h:5432/d' }],
      ['postgresql://h/d', { ...onPostgres, url: 'postgresql://h/d' }],
    ],
    bad: ['mysql://root:hunter2@h/d', 'postgres://u:hunter2@:99999/d', 'sqlite:', './hunter2.db'].map((value) => [
      value,
      databaseCure,
    ]),
    secret: true,
  },
  DATABASE_DIRECT_URL: {
    of: ({ database }) => (database.kind === 'postgres' ? database.directUrl : database.kind),
    unset: undefined,
    good: [['postgres://u:p@h:5432/d', 'postgres://u:p@h:5432/d']],
    bad: ['sqlite:x.db', 'postgres://u:hunter2@:99999/d'].map((value) => [
      value,
      'DATABASE_DIRECT_URL must be postgres://<user>:<password>@<host>/<database>',
    ]),
    needs: { DATABASE_URL: 'postgres://pooler/d' },
    secret: true,
  },
  DATABASE_CONNECTIONS: {
    of: ({ database }) => (database.kind === 'postgres' ? database.settings?.connections : undefined),
    unset: 20,
    good: [
      ['5', 5],
      ['1000', 1_000],
    ],
    bad: [['1001', 'DATABASE_CONNECTIONS must be a whole number from 5 to 1000, but is "1001"']],
    needs: { DATABASE_URL: 'postgres://h/d' },
  },
  NODE_ENV: {
    of: ({ production }) => production,
    unset: false,
    good: [
      ['production', true],
      ['development', false],
      ['test', false],
    ],
    needs: { DATABASE_URL: 'sqlite:x.db' },
    bad: [['prod', 'NODE_ENV must be one of development, production, test, but is "prod"']],
  },
  LOG_LEVEL: {
    of: ({ logLevel }) => logLevel,
    unset: 'info',
    good: logLevels.map((level) => [level, level] as const),
    bad: [['verbose', `LOG_LEVEL must be one of ${logLevels.join(', ')}, but is "verbose"`]],
  },
  OTEL_SDK_DISABLED: {
    of: ({ telemetry }) => telemetry.tracesUrl,
    unset: 'http://c:4318/v1/traces',
    good: [
      ['true', null],
      ['TRUE', null],
      ['false', 'http://c:4318/v1/traces'],
    ],
    bad: [['1', 'OTEL_SDK_DISABLED must be one of true, false, but is "1"']],
    needs: collector,
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    of: ({ telemetry: { tracesUrl, metricsUrl } }) => [tracesUrl, metricsUrl],
    unset: [null, null],
    good: [
      ['http://c:4318', ['http://c:4318/v1/traces', 'http://c:4318/v1/metrics']],
      ['https://c/otlp/', ['https://c/otlp/v1/traces', 'https://c/otlp/v1/metrics']],
    ],
    bad: [['collector:4317', 'OTEL_EXPORTER_OTLP_ENDPOINT must be the URL of an OTLP receiver']],
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    of: ({ telemetry: { tracesUrl, metricsUrl } }) => [tracesUrl, metricsUrl],
    unset: ['http://c:4318/v1/traces', 'http://c:4318/v1/metrics'],
    good: [['http://t/x', ['http://t/x', 'http://c:4318/v1/metrics']]],
    bad: [['collector', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT must be the URL of an OTLP receiver']],
    needs: collector,
  },
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: {
    of: ({ telemetry: { tracesUrl, metricsUrl } }) => [tracesUrl, metricsUrl],
    unset: [null, null],
    good: [['http://m/x', [null, 'http://m/x']]],
    bad: [['collector', 'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT must be the URL of an OTLP receiver']],
  },
  OTEL_EXPORTER_OTLP_PROTOCOL: {
    of: () => 'http/protobuf',
    unset: 'http/protobuf',
    good: [['http/protobuf', 'http/protobuf']],
    bad: [['grpc', 'OTEL_EXPORTER_OTLP_PROTOCOL must be one of http/protobuf, but is "grpc"']],
  },
  OTEL_SERVICE_NAME: {
    of: ({ telemetry }) => telemetry.serviceName,
    unset: 'postern',
    good: [['gate', 'gate']],
    bad: [],
  },
  OTEL_TRACES_EXPORTER: {
    of: ({ telemetry }) => telemetry.tracesUrl,
    unset: 'http://c:4318/v1/traces',
    good: [['none', null]],
    bad: [['zipkin', 'OTEL_TRACES_EXPORTER must be one of otlp, none, but is "zipkin"']],
    needs: collector,
  },
  OTEL_METRICS_EXPORTER: {
    of: ({ telemetry }) => telemetry.metricsUrl,
    unset: 'http://c:4318/v1/metrics',
    good: [['none', null]],
    bad: [['prometheus', 'OTEL_METRICS_EXPORTER must be one of otlp, none, but is "prometheus"']],
    needs: collector,
  },
  OTEL_TRACES_SAMPLER: {
    of: ({ telemetry }) => telemetry.sampler,
    unset: 'parentbased_always_on',
    good: traceSamplers.map((name) => [name, name] as const),
    bad: [['jaeger_remote', 'OTEL_TRACES_SAMPLER must be one of always_on, ']],
  },
  OTEL_TRACES_SAMPLER_ARG: {
    of: ({ telemetry }) => telemetry.samplerRatio,
    unset: 1,
    good: [
      ['0.25', 0.25],
      ['0', 0],
    ],
    bad: [
      ['2', 'OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, but is "2"'],
      ['x', 'OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, but is "x"'],
    ],
  },
  OTEL_METRIC_EXPORT_INTERVAL: {
    of: ({ telemetry }) => telemetry.metricsIntervalMs,
    unset: 60_000,
    good: [['15000', 15_000]],
    bad: [['1', 'OTEL_METRIC_EXPORT_INTERVAL must be a whole number from 100 to 3600000, but is "1"']],
  },
  METRICS_PORT: {
    of: ({ telemetry }) => telemetry.prometheus,
    unset: null,
    good: [
      ['9464', { host: '127.0.0.1', port: 9464, onMainPort: false }],
      ['4000', { host: '127.0.0.1', port: 4000, onMainPort: true }],
      ['0.0.0.0:9464', { host: '0.0.0.0', port: 9464, onMainPort: false }],
      ['[::]:0', { host: '::', port: 0, onMainPort: false }],
      ['metrics.internal:9464', { host: 'metrics.internal', port: 9464, onMainPort: false }],
    ],
    bad: ['tcp://10.0.0.1:80', '65536', '0.0.0.0:', ':80', '::80', ''.padEnd(6, '1')].map((value) => [
      value,
      `METRICS_PORT must be a whole number from 0 to 65535, or <address>:<port>, but is "${value}"`,
    ]),
  },
  KEEP_ALIVE_MS: {
    of: ({ keepAliveMs }) => keepAliveMs,
    unset: 72_000,
    good: [
      ['610000', 610_000],
      ['1000', 1_000],
    ],
    bad: [['0', 'KEEP_ALIVE_MS must be a whole number from 1000 to ']],
  },
  SHUTDOWN_DELAY_MS: {
    of: ({ shutdownDelayMs }) => shutdownDelayMs,
    unset: 0,
    good: [
      ['0', 0],
      ['2500', 2_500],
    ],
    bad: [['5s', 'SHUTDOWN_DELAY_MS must be a whole number from 0 to 600000, but is "5s"']],
  },
  SECRET: {
    of: ({ secret }) => secret,
    unset: undefined,
    good: [['x'.repeat(32), 'x'.repeat(32)]],
    bad: [['hunter2'.repeat(4), secretCure]],
    secret: true,
  },
  SECRET_PREVIOUS: {
    of: ({ previousSecret }) => previousSecret,
    unset: undefined,
    good: [['x'.repeat(32), 'x'.repeat(32)]],
    bad: [['hunter2'.repeat(4), secretCure.replace('SECRET', 'SECRET_PREVIOUS')]],
    secret: true,
  },
  DEMO: switchOf('DEMO', ({ demo }) => demo, true),
  GRAPHIQL: switchOf('GRAPHIQL', ({ graphiql }) => graphiql, true),
  WEBHOOKS_PAGE: switchOf('WEBHOOKS_PAGE', ({ webhooksPage }) => webhooksPage, true),
  INTROSPECTION: switchOf('INTROSPECTION', ({ introspection }) => introspection, true),
  FEDERATION: switchOf('FEDERATION', ({ federation }) => federation, false),
  CORS_ORIGINS: {
    of: ({ corsOrigins }) => corsOrigins,
    unset: 'loopback',
    good: [
      ['https://app.example', ['https://app.example']],
      [
        ' https://app.example:8443 ,http://[::1]:5173, capacitor://localhost,',
        ['https://app.example:8443', 'http://[::1]:5173', 'capacitor://localhost'],
      ],
    ],
    bad: [
      ['*', 'CORS_ORIGINS must name each origin: "*" would let every page read responses'],
      ['https://*.example', 'CORS_ORIGINS must name each origin: "https://*.example" would match none'],
      ...['app.example', 'null', 'https://', 'https://app.example;https://b.example', 'localhost:5173'].map(
        (value) =>
          [
            value,
            `CORS_ORIGINS must be origins such as https://app.example, with commas between, but has "${value}"`,
          ] as const,
      ),
      ...[
        'https://app.example/',
        'https://app.example:443',
        'HTTPS://App.example',
        'https://u:p@app.example',
        'https://app.example/x?y#z',
      ].map((value) => [value, `but has "${value}": did you mean https://app.example?`] as const),
    ],
  },
  COMPRESSION: switchOf('COMPRESSION', ({ compression }) => compression, false),
  DOCUMENTS: {
    of: ({ documents }) => documents && { mode: documents.mode, count: documents.manifest.size },
    unset: null,
    good: [[manifestFile, { mode: 'only', count: 1 }]],
    bad: [
      ['/nowhere/at/all', 'DOCUMENTS names a file that cannot be read'],
      ['README.md', 'DOCUMENTS must be, or name a file with, a JSON object'],
      ['package.json', 'DOCUMENTS names a file that is no manifest: it must be {"<id>": "<text>", …}'],
    ],
  },
  DOCUMENTS_MODE: {
    of: ({ documents }) => documents?.mode,
    unset: 'only',
    good: [
      ['only', 'only'],
      ['prefer', 'prefer'],
    ],
    bad: [['warn', 'DOCUMENTS_MODE must be one of only, prefer, but is "warn"']],
    needs: { DOCUMENTS: manifestFile },
  },
  COMPILED_OPERATIONS: switchOf('COMPILED_OPERATIONS', ({ compiledOperations }) => compiledOperations, true),
  RESPONSE_CACHE: {
    of: ({ responseCache }) => responseCache,
    unset: null,
    good: [
      ['off', null],
      ['memory', { kind: 'memory', maxAge: 60, maxBytes: 67_108_864 }],
    ],
    bad: [
      ['on', 'RESPONSE_CACHE must be one of off, memory, redis, but is "on"'],
      ['redis', 'RESPONSE_CACHE=redis needs a server: set REDIS_URL too'],
    ],
  },
  RESPONSE_CACHE_MAX_AGE: {
    of: ({ responseCache }) => responseCache?.maxAge,
    unset: 60,
    good: [['5', 5]],
    bad: [
      ['0', 'RESPONSE_CACHE_MAX_AGE must be a whole number from 1 to 60, but is "0"'],
      ['61', 'RESPONSE_CACHE_MAX_AGE must be a whole number from 1 to 60, but is "61"'],
    ],
    needs: { RESPONSE_CACHE: 'memory' },
  },
  REDIS_URL: {
    of: ({ responseCache }) => responseCache?.kind === 'redis' && responseCache.url,
    unset: false,
    good: [
      ['redis://user:password@host:6379/1', 'redis://user:password@host:6379/1'],
      ['rediss://host', 'rediss://host'],
    ],
    bad: [
      ['host:hunter2', 'REDIS_URL must be redis://<user>:<password>@<host>/<number>, or the same with rediss://'],
      ['http://u:hunter2@host', 'REDIS_URL must be redis://'],
      ['redis://', 'REDIS_URL must be redis://'],
    ],
    readWith: { RESPONSE_CACHE: 'redis' },
    secret: true,
  },
  GRAPHQL_MAX_COST: {
    of: ({ maxOperationCost }) => maxOperationCost,
    unset: 150_000,
    good: [['1', 1]],
    bad: [['0', 'GRAPHQL_MAX_COST must be a whole number from 1 to 1000000000, but is "0"']],
  },
  OUTBOUND_ALLOW: {
    of: ({ outboundAllow }) => outboundAllow.map(([address, bits]) => `${address}/${bits}`),
    unset: ['127.0.0.0/8', '::1/128'],
    good: [['10.0.0.0/8, 127.0.0.1', ['10.0.0.0/8', '127.0.0.1/32']]],
    bad: [
      ['10.0.0.0/33', 'OUTBOUND_ALLOW '],
      ['localhost', 'OUTBOUND_ALLOW '],
    ],
  },
  DELIVERY_RETENTION_DAYS: {
    of: ({ deliveryRetentionDays }) => deliveryRetentionDays,
    unset: 30,
    good: [['7', 7]],
    bad: [['0', 'DELIVERY_RETENTION_DAYS must be a whole number from 1 to 3650, but is "0"']],
  },
  DELIVERY_MAX_EVENTS: countOf('DELIVERY_MAX_EVENTS', ({ deliveryMaxEvents }) => deliveryMaxEvents, 0),
  REQUESTS_PER_MINUTE: countOf('REQUESTS_PER_MINUTE', ({ rateLimits }) => rateLimits.requestsPerMinute, 60_000),
  KEYLESS_PER_MINUTE: {
    of: ({ rateLimits }) => [rateLimits.keylessPerMinute, rateLimits.wrongKeysPerMinute],
    unset: [600, 600],
    good: [
      ['7', [7, 7]],
      ['0', [0, 0]],
    ],
    bad: [['-1', 'KEYLESS_PER_MINUTE must be a whole number from 0 to ']],
  },
  TRUST_PROXY: {
    of: ({ trustProxy }) => trustProxy.map(([address, bits]) => `${address}/${bits}`),
    unset: [],
    good: [['10.0.0.0/8, 127.0.0.1', ['10.0.0.0/8', '127.0.0.1/32']]],
    bad: [['on', 'TRUST_PROXY must be addresses or blocks']],
  },
  EVENTS_PER_SECOND: {
    of: ({ rateLimits: { eventsPerSecond, deliveriesPerSecond, eventBytesPerSecond } }) => [
      eventsPerSecond,
      deliveriesPerSecond,
      eventBytesPerSecond,
    ],
    unset: [100, 1_000, 8_388_608],
    good: [
      ['1', [1, 10, 8_388_608]],
      ['250', [250, 2_500, 20_971_520]],
      ['0', [0, 0, 0]],
    ],
    bad: [['-1', 'EVENTS_PER_SECOND must be a whole number from 0 to ']],
  },
  WEBHOOKS_PER_WORKSPACE: countOf('WEBHOOKS_PER_WORKSPACE', ({ webhooksPerWorkspace }) => webhooksPerWorkspace, 500),
  STORED_BYTES_PER_WORKSPACE: {
    of: ({ storedBytesPerWorkspace }) => storedBytesPerWorkspace,
    unset: 10_737_418_240,
    good: [['0', 0]],
    bad: [['1.5', 'STORED_BYTES_PER_WORKSPACE must be a whole number']],
  },
  STREAMS_PER_KEY: {
    of: ({ streams: { perKey, perWorkspace, perProcess } }) => [perKey, perWorkspace, perProcess],
    unset: [100, 500, 1_000],
    good: [['1', [1, 5, 10]]],
    bad: [['0', 'STREAMS_PER_KEY must be a whole number from 1 to ']],
  },
  HTTP_PROXY: proxyCase('HTTP_PROXY', ({ http }) => http),
  HTTPS_PROXY: proxyCase('HTTPS_PROXY', ({ https }) => https),
  NO_PROXY: {
    of: ({ outboundProxies }) => outboundProxies?.except('a.example', '80'),
    unset: false,
    good: [['.example', true]],
    bad: [],
    needs: { OUTBOUND_PROXY: 'on' },
  },
  OUTBOUND_PROXY: {
    of: ({ outboundProxies }) => outboundProxies !== undefined,
    unset: false,
    good: [
      ['on', true],
      ['off', false],
    ],
    bad: [['yes', 'OUTBOUND_PROXY must be one of on, off, but is "yes"']],
  },
  UPSTREAM_URL: {
    of: ({ upstream }) => upstream && upstream.origin + upstream.basePath,
    unset: null,
    good: [
      ['http://h:81', 'http://h:81'],
      ['https://h/v1', 'https://h'],
      ['https://h/api/v1/', 'https://h/api'],
      ['https://h/api/', 'https://h/api'],
    ],
    bad: ['ftp://hunter2', 'https://u:hunter2@h', 'https://h/?hunter2', 'https://h/#hunter2', 'hunter2'].map(
      (value) => [value, 'UPSTREAM_URL must be https://<host>[/<path>], without credentials, query and fragment'],
    ),
    secret: true,
  },
  UPSTREAM_API_KEY: {
    of: ({ upstream }) => upstream?.apiKey,
    unset: undefined,
    good: [['a-key', 'a-key']],
    bad: [['hunter2\n', 'UPSTREAM_API_KEY contains characters that are not allowed in a header']],
    needs: upstream,
    secret: true,
  },
  WEBHOOKS: {
    of: ({ intake }) => intake !== null,
    unset: false,
    good: [
      ['own', true],
      ['service', false],
    ],
    bad: [['mine', 'WEBHOOKS must be one of service, own']],
    readWith: fronting,
  },
  PUBLIC_URL: {
    of: ({ intake }) => intake?.publicUrl,
    unset: undefined,
    good: [['https://gateway.example/base/', 'https://gateway.example/base']],
    bad: [['gateway.example', 'PUBLIC_URL must be https://<host>[/<path>]']],
    readWith: { ...fronting, WEBHOOKS: 'own' },
  },
  INTAKE_EVENTS: {
    of: ({ intake }) => intake?.events,
    unset: undefined,
    good: [
      ['users,mail_sent', ['new_relation', 'mail_sent']],
      ['mail_sent, email', ['mail_sent', 'mail_received', 'mail_moved']],
    ],
    bad: [['mail', 'INTAKE_EVENTS must name events or sources, but has "mail"']],
    readWith: { ...fronting, WEBHOOKS: 'own' },
  },
  UPSTREAM_NAMES: {
    of: ({ upstream }) => upstream?.names,
    unset: {},
    good: [],
    bad: [
      ['/nowhere/at/all', 'UPSTREAM_NAMES names a file that cannot be read'],
      ['README.md', 'UPSTREAM_NAMES must be, or name a file with, a JSON object'],
      ['package.json', 'UPSTREAM_NAMES names a file in which "name" is not an object of strings'],
    ],
    needs: upstream,
  },
  UPSTREAM_IDEMPOTENCY: {
    of: ({ upstream }) => upstream?.actsOnce,
    unset: false,
    good: [
      ['on', true],
      ['off', false],
    ],
    bad: [['yes', 'UPSTREAM_IDEMPOTENCY must be one of on, off, but is "yes"']],
    needs: { UPSTREAM_URL: 'http://a.example' },
  },
  UPSTREAM_HEADERS: {
    of: ({ upstream }) => upstream?.headers,
    unset: {},
    good: [['{"X-Tenant":"a"}', { 'x-tenant': 'a' }]],
    bad: [
      ['{"X-Api-Key":"hunter2"}', 'UPSTREAM_HEADERS must not set X-Api-Key: the gateway sets it'],
      ['{"a b":"hunter2"}', 'UPSTREAM_HEADERS has a header "a b" that cannot be sent'],
      ['{"a":"hunter2\\n"}', 'UPSTREAM_HEADERS has a header "a" that cannot be sent'],
      ['{"a":["hunter2"]}', 'UPSTREAM_HEADERS must have a string as the value of the header "a"'],
      ['hunter2', 'UPSTREAM_HEADERS must be, or name a file with, a JSON object'],
    ],
    needs: upstream,
    secret: true,
  },
  UPSTREAM_TIMEOUT_MS: {
    of: ({ upstream: settings }) => settings && [settings.timeoutMs, settings.budgetMs],
    unset: [20_000, 40_000],
    good: [['7', [7, 14]]],
    bad: [['0', 'UPSTREAM_TIMEOUT_MS must be a whole number from 1 to ']],
    needs: upstream,
  },
  UPSTREAM_CONNECTIONS: {
    of: ({ upstream: settings }) => settings?.connections,
    unset: 64,
    good: [['7', 7]],
    bad: [['0', 'UPSTREAM_CONNECTIONS must be a whole number from 1 to ']],
    needs: upstream,
  },
};

const helped = [...configHelp().matchAll(/^ {2}([A-Z_]+) /gm)].map(([, name]) => name as string);

test('the help lists every variable, and every variable is tested here', () => {
  expect(helped).toEqual(Object.keys(cases));
  expect(configHelp()).toMatch(/^ {2}DATABASE_URL +.*Default: sqlite:\.\/\.data\/postern\.db$/m);
});

test.each(helped)('%s', (name) => {
  const { of, unset, good, bad, needs = {}, readWith = {}, secret } = cases[name] as VariableCase;
  expect(of(readConfig(needs))).toEqual(unset);
  expect(of(readConfig({ ...needs, [name]: '' }))).toEqual(unset);
  for (const [value, read] of good) expect(of(readConfig({ ...needs, ...readWith, [name]: value }))).toEqual(read);
  for (const [value, message] of bad) {
    const refusal = refusalOf({ ...needs, [name]: value });
    expect(refusal).toBeInstanceOf(ConfigError);
    expect(refusal.message).toContain(message);
    if (secret) expect(refusal.message).not.toMatch(/hunter2/);
  }
});

function refusalOf(environment: Record<string, string>): Error {
  try {
    readConfig(environment);
  } catch (error) {
    return error as Error;
  }
  throw new Error(`${JSON.stringify(environment)} was accepted`);
}

test('responses are cached in the server at REDIS_URL', () => {
  const { responseCache } = readConfig({
    RESPONSE_CACHE: 'redis',
    REDIS_URL: 'redis://host',
    RESPONSE_CACHE_MAX_AGE: '7',
  });
  expect(responseCache).toEqual({ kind: 'redis', maxAge: 7, url: 'redis://host', installation: expect.any(String) });
});

describe('the installation, by which several share a Redis server,', () => {
  const nameOf = (environment: Record<string, string>): string => {
    const { responseCache } = readConfig({ RESPONSE_CACHE: 'redis', REDIS_URL: 'redis://r', ...environment });
    if (responseCache?.kind !== 'redis') throw new Error('It is not Redis');
    return responseCache.installation;
  };
  const postgres = (url: string) => nameOf({ DATABASE_URL: url });
  const service = (url: string, key = 'k') => nameOf({ UPSTREAM_URL: url, UPSTREAM_API_KEY: key });

  test('is the same for all processes that serve the same data', () => {
    const urls = ['postgres://a:x@Host/d', 'postgresql://b:y@host:5432/d?sslmode=require', 'postgres:///d?host=host'];
    expect(new Set(urls.map(postgres)).size).toBe(1);
    expect(postgres('sqlite:data/p.db')).toBe(postgres(`sqlite:${resolve('data/p.db')}`));
    expect(service('https://s', 'former')).toBe(service('https://s/', 'new'));
  });

  test('differs for other data, and reveals none of the settings', () => {
    const names = [
      ...['postgres://h/d', 'postgres://h:6432/d', 'postgres://h/e', 'postgres://i/d', 'sqlite:d', 'sqlite:e'].map(
        postgres,
      ),
      ...['https://s', 'https://s/api', 'http://s'].map((url) => service(url)),
    ];
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[\w-]{16}$/);
  });
});

test('responses are not cached for keys that a service checks', () => {
  for (const RESPONSE_CACHE of ['memory', 'redis']) {
    const refused = refusalOf({ ...upstream, RESPONSE_CACHE, REDIS_URL: 'redis://host' });
    expect(refused.message).toMatch(/^RESPONSE_CACHE needs API keys of this gateway: set UPSTREAM_API_KEY too/);
  }
  expect(readConfig({ ...upstream, UPSTREAM_API_KEY: 'k', RESPONSE_CACHE: 'memory' }).responseCache).not.toBeNull();
});

test('responses are not cached in memory on Postgres, where other processes change what they show', () => {
  const { message } = refusalOf({ RESPONSE_CACHE: 'memory', DATABASE_URL: 'postgres://host/name' });
  expect(message).toMatch(
    /^RESPONSE_CACHE=memory is for one gateway on a SQLite file: with Postgres set RESPONSE_CACHE=redis/,
  );
});

test.each([...Object.keys(removed)])('%s, which was removed, is told, not ignored', (name) => {
  expect(helped).not.toContain(name);
  expect(readConfig({ [name]: '1' }).inVain).toEqual([`${name}: ${removed[name]}`]);
  expect(readConfig({ [name]: '' }).inVain).toEqual([]);
});

test('all variables that were removed are told at once, with what is true now', () => {
  const { inVain } = readConfig({ DATABASE_LOCK_TIMEOUT_MS: '5000', WRONG_KEYS_PER_MINUTE: '5' });
  expect(inVain).toEqual([
    'DATABASE_LOCK_TIMEOUT_MS: it is always 2000',
    'WRONG_KEYS_PER_MINUTE: KEYLESS_PER_MINUTE limits them too',
  ]);
});

test('pictures of the sandbox are below PUBLIC_URL, else at the address of the gateway', () => {
  expect(readConfig({}).sandboxPictures).toBe('http://127.0.0.1:4000');
  expect(readConfig({ HOST: '::', PORT: '81' }).sandboxPictures).toBe('http://localhost:81');
  expect(readConfig({ PUBLIC_URL: 'https://gateway.example/base/' }).sandboxPictures).toBe(
    'https://gateway.example/base',
  );
  expect(readConfig({ DEMO: 'off', PUBLIC_URL: 'https://gateway.example' }).sandboxPictures).toBeNull();
});

test('a mode without a manifest is refused', () => {
  expect(refusalOf({ DOCUMENTS_MODE: 'only' }).message).toBe(
    'DOCUMENTS_MODE needs a manifest: set DOCUMENTS too, or leave it out',
  );
});

test.each(['', 'only'])('a subgraph that executes trusted documents only is refused: DOCUMENTS_MODE=%s', (mode) => {
  const subgraph = { FEDERATION: 'on', DOCUMENTS: manifestFile };
  expect(refusalOf({ ...subgraph, DOCUMENTS_MODE: mode }).message).toMatch(
    /^FEDERATION=on needs DOCUMENTS_MODE=prefer/,
  );
  const { documents, federation } = readConfig({ ...subgraph, DOCUMENTS_MODE: 'prefer' });
  expect([documents?.mode, federation]).toEqual(['prefer', true]);
});

describe.each(helped.filter((name) => /^UPSTREAM_(?!URL$)/.test(name)))('%s without an upstream', (name) => {
  const message = `${name} needs an upstream: set UPSTREAM_URL too, or leave it out`;
  const { good, unset } = cases[name] as VariableCase;

  test('is refused', () => {
    for (const [value] of good) expect(refusalOf({ [name]: value }).message).toBe(message);
    // The default is refused as well: what was set on purpose has no effect.
    for (const value of [unset].flat())
      if (typeof value === 'number') expect(refusalOf({ [name]: String(value) }).message).toBe(message);
    expect(readConfig({ [name]: '' }).upstream).toBeNull();
  });
});

const production = { NODE_ENV: 'production', DATABASE_URL: 'sqlite:x.db' };

test.each([
  [{}, true],
  [{ ...production }, false],
  [{ ...production, DEMO: '' }, false],
  [{ ...production, DEMO: 'on' }, true],
  [{ NODE_ENV: 'development', DEMO: 'off' }, false],
])('%j: a demo workspace is made: %j', (environment, demo) => {
  expect(readConfig(environment).demo).toBe(demo);
});

test.each([
  [{ ...production }, 5_000],
  [{ ...production, SHUTDOWN_DELAY_MS: '0' }, 0],
  [{ NODE_ENV: 'test' }, 0],
])('%j: a stop waits %i ms', (environment, delay) => {
  expect(readConfig(environment).shutdownDelayMs).toBe(delay);
});

/** [the environment, the webhooks' blocks, the pages, whether the start tells of either] */
const openings: readonly (readonly [Record<string, string>, string, string, number])[] = [
  [{}, '127.0.0.0/8 ::1/128', 'loopback', 2],
  [{ NODE_ENV: 'development', HOST: 'localhost' }, '127.0.0.0/8 ::1/128', 'loopback', 2],
  [{ HOST: '::1' }, '127.0.0.0/8 ::1/128', 'loopback', 2],
  [{ HOST: '0.0.0.0' }, '', '', 0],
  [{ HOST: '192.0.2.1' }, '', '', 0],
  [{ NODE_ENV: 'test' }, '', '', 0],
  [production, '', '', 0],
  [{ ...production, HOST: '127.0.0.1', OUTBOUND_ALLOW: '', CORS_ORIGINS: '' }, '', '', 0],
  [{ OUTBOUND_ALLOW: '10.0.0.0/8' }, '10.0.0.0/8', 'loopback', 1],
  [{ CORS_ORIGINS: 'https://app.example' }, '127.0.0.0/8 ::1/128', 'https://app.example', 1],
  [{ OUTBOUND_ALLOW: '10.0.0.0/8', CORS_ORIGINS: 'https://app.example' }, '10.0.0.0/8', 'https://app.example', 0],
  [{ ...production, OUTBOUND_ALLOW: '127.0.0.1' }, '127.0.0.1/32', '', 0],
  [{ ...production, CORS_ORIGINS: 'http://localhost:5173' }, '', 'http://localhost:5173', 0],
];

test.each(openings)('%j: webhooks may lead to "%s", and pages of "%s" may call', (environment, blocks, pages, told) => {
  const { outboundAllow, corsOrigins, openings } = readConfig(environment);
  expect(outboundAllow.map(([address, bits]) => `${address}/${bits}`).join(' ')).toBe(blocks);
  expect(corsOrigins === 'loopback' ? corsOrigins : corsOrigins.join(' ')).toBe(pages);
  expect(openings).toHaveLength(told);
});

test('in production DATABASE_URL is required', () => {
  const cure = 'DATABASE_URL must be set in production: to sqlite:<file>, or to postgres://…';
  const missing: Record<string, string>[] = [{}, { DATABASE_URL: '' }, { ...upstream, UPSTREAM_API_KEY: 'k' }];
  for (const environment of missing) {
    expect(refusalOf({ NODE_ENV: 'production', ...environment }).message).toBe(cure);
  }
  // A gateway that forwards the keys of its callers has none.
  expect(readConfig({ NODE_ENV: 'production', ...upstream }).production).toBe(true);
});

describe('a secret in a file', () => {
  const page = pageAt('docs/run/configuration.md');
  let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
  const file = (content: string) => {
    const path = join(directory.path, 'file');
    writeFileSync(path, content);
    return path;
  };
  beforeEach(async () => {
    directory = await temporaryDirectory();
  });
  afterEach(() => directory[Symbol.asyncDispose]());

  test('is marked as one, if a message may not repeat it', () => {
    // The address of a service has no credentials.
    const tested = helped.filter((name) => cases[name]?.secret && name !== 'UPSTREAM_URL');
    expect(secretNames).toEqual(tested);
  });

  test.each(secretNames)('%s', (name) => {
    const { of, good, needs = {}, readWith = {} } = cases[name] as VariableCase;
    const [[value, read] = ['', '']] = good;
    for (const content of [value, `${value}\n`, `${value}\r\n`]) {
      expect(of(readConfig({ ...needs, ...readWith, [`${name}_FILE`]: file(content) }))).toEqual(read);
    }
    const refused = (environment: Record<string, string>) => refusalOf({ ...needs, ...environment }).message;
    expect(refused({ [`${name}_FILE`]: '/nowhere' })).toContain(`${name}_FILE names a file that cannot be read: `);
    expect(refused({ [`${name}_FILE`]: file('\n') })).toBe(`${name}_FILE names a file that is empty`);
    expect(refused({ [`${name}_FILE`]: file(value), [name]: value })).toBe(
      `${name} and ${name}_FILE are both set: leave one of them out`,
    );
    expect(configHelp()).toMatch(new RegExp(`A file can have the value of .*\\b${name}\\b`));
    expect(page.includes(`\`${name}_FILE\``)).toBe(true);
  });
});

test.each(helped.filter((name) => !secretNames.includes(name)))('%s takes no file', (name) => {
  const { good, needs = {}, readWith = {} } = cases[name] as VariableCase;
  const given = `${name}_FILE`;
  expect(refusalOf({ ...needs, [given]: '/run/x' }).message).toBe(
    `${given} is not a variable of the gateway: a file can have the value of secrets only. Set ${name}`,
  );
  expect(readConfig({ [given]: '' }).port).toBe(4000);
  const [[value] = ['']] = good;
  if (value !== '') expect(readConfig({ ...needs, ...readWith, [given]: '/run/x', [name]: value })).toBeDefined();
});

test('other variables stop nothing', () => {
  const others = ['HOSTNAME', 'HOME', 'PATH', 'NODE_OPTIONS', 'NODE_PATH', 'LOGNAME', 'DATABASE_PORT', 'DATABASE_HOST'];
  const more = [
    'UPSTREAM_PORT',
    'SECRET_PORT',
    'POSTERN_PORT',
    'DATABASE_SERVICE_HOST',
    'npm_config_registry',
    'EDITOR',
  ];
  for (const name of [...others, ...more]) expect(readConfig({ [name]: 'x' }).port).toBe(4000);
});

test('the configuration is frozen', () => {
  expect(Object.isFrozen(readConfig({}))).toBe(true);
});

test('--help prints every variable, even in an invalid environment', async () => {
  const { code, stdout, stderr } = await runProcess('src/app/main.js', ['--help'], { PORT: 'nonsense' });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const name of helped) expect(stdout).toContain(`  ${name} `);
});

test.each([
  ['sqlite:./.data/postern.db', '.data/demo-key'],
  ['sqlite:./.data/other.db', '.data/demo-key-other.db'],
  ['sqlite::memory:', '.data/demo-key-memory'],
  ['postgres://user:secret@db.example/postern', '.data/demo-key-db.example-postern'],
  ['postgres://user:secret@db.example:5433/other?sslmode=require', '.data/demo-key-db.example-5433-other'],
])('the demo key of %s is in %s', (url, file) => {
  expect(readConfig({ DATABASE_URL: url }).demoKeyFile).toBe(file);
});

test.each([
  [{ WEBHOOKS: 'own' }, 'WEBHOOKS=own needs a service and a key for it: set UPSTREAM_URL and UPSTREAM_API_KEY too'],
  [{ WEBHOOKS: 'own', ...upstream }, 'WEBHOOKS=own needs a service and a key for it'],
  [{ WEBHOOKS: 'own', ...upstream, UPSTREAM_API_KEY: 'k' }, 'WEBHOOKS=own needs an address that the service can reach'],
])('own webhooks need their service: %j', (environment, message) => {
  expect(refusalOf(environment).message).toContain(message);
});
