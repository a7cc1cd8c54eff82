/** The environment variables: what each may be, its default, and its help with values in backticks. */
import { optional, prefault, z } from 'zod';
import { documentModes } from '../../graphql/documents/document-manifest.ts';
import { readBlocks } from '../../net/addresses.ts';
import { readExceptions } from '../../net/proxies.ts';
import { traceSamplers } from '../../telemetry/telemetry.ts';
import {
  database,
  eventNames,
  headers,
  headerValue,
  listenAddress,
  manifest,
  numberBetween,
  oneOf,
  onOrOff,
  origins,
  otlpEndpoint,
  postgresUrl,
  processes,
  proxyUrl,
  publicUrl,
  quota,
  readBy,
  redisUrl,
  secret,
  serviceAddress,
  share,
  termMap,
  trueOrFalse,
} from './values.ts';

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

export const variables = {
  HOST: prefault(z.string(), '127.0.0.1').describe('The address to listen on.'),
  PORT: prefault(numberBetween(0, 65_535), '4000').describe('The port to listen on. `0` picks a free port.'),
  PROCESSES: prefault(processes, '1').describe(
    'Processes that serve the address together: a number, or `auto` for one per core. They share rate limits, metrics and subscriptions, and one that ends is replaced.',
  ),
  DATABASE_URL: prefault(database, 'sqlite:./.data/postern.db').describe(
    '`sqlite:<file>`, or `postgres://…` for a Postgres server. Required in production.',
  ),
  DATABASE_DIRECT_URL: optional(postgresUrl).describe(
    'The `postgres://…` address of the server itself, if `DATABASE_URL` leads to a pooler that gives each transaction another session. Migrations, locks, notifications and the delivery queue use it.',
  ),
  DATABASE_CONNECTIONS: prefault(numberBetween(5, 1_000), '20').describe(
    'Largest number of connections to Postgres, apart from the one that listens. Keys, accounts and jobs get a fifth each, the delivery queue a tenth, webhooks and deliveries the rest.',
  ),
  NODE_ENV: prefault(oneOf(['development', 'production', 'test']), 'development').describe(
    '`development` or `production`. In development, a gateway that listens on a loopback address lets webhooks lead to this machine, and its pages call, unless `OUTBOUND_ALLOW` or `CORS_ORIGINS` is set.',
  ),
  LOG_LEVEL: prefault(oneOf(logLevels), 'info').describe(`${logLevels.map((level) => `\`${level}\``).join(', ')}.`),
  OTEL_SDK_DISABLED: prefault(trueOrFalse, 'false').describe(
    '`true` sends no telemetry by OTLP, whatever the other variables say.',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(otlpEndpoint).describe(
    'URL of an OpenTelemetry collector that takes OTLP over HTTP: `http://127.0.0.1:4318`. Traces and metrics go to `/v1/traces` and `/v1/metrics` below it. If unset, nothing is sent.',
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: optional(otlpEndpoint).describe(
    'The whole URL for traces, if they go elsewhere.',
  ),
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: optional(otlpEndpoint).describe(
    'The whole URL for metrics, if they go elsewhere.',
  ),
  OTEL_EXPORTER_OTLP_PROTOCOL: prefault(oneOf(['http/protobuf']), 'http/protobuf').describe(
    'The protocol of the collector. There is no other.',
  ),
  OTEL_SERVICE_NAME: prefault(z.string(), 'postern').describe('Name of the gateway in traces and metrics.'),
  OTEL_TRACES_EXPORTER: prefault(oneOf(['otlp', 'none']), 'otlp').describe('`none` sends no traces.'),
  OTEL_METRICS_EXPORTER: prefault(oneOf(['otlp', 'none']), 'otlp').describe('`none` sends no metrics.'),
  OTEL_TRACES_SAMPLER: prefault(oneOf(traceSamplers), 'parentbased_always_on').describe(
    `Which traces are recorded: ${traceSamplers.map((name) => `\`${name}\``).join(', ')}. With \`parentbased\` the caller's \`traceparent\` decides, if there is one.`,
  ),
  OTEL_TRACES_SAMPLER_ARG: prefault(share, '1').describe('Share of traces that a ratio sampler records, from 0 to 1.'),
  OTEL_METRIC_EXPORT_INTERVAL: prefault(numberBetween(100, 3_600_000), '60000').describe(
    'How often metrics are sent, in milliseconds.',
  ),
  METRICS_PORT: optional(listenAddress).describe(
    'Serves metrics for Prometheus at `/metrics` on this port of `127.0.0.1`, or of the address before it: `0.0.0.0:9464`. `0` picks a free port. The value of `PORT` serves them beside GraphQL, to everybody who can reach the gateway. If unset, they are not served.',
  ),
  KEEP_ALIVE_MS: prefault(numberBetween(1_000, 3_600_000), '72000').describe(
    'How long the gateway keeps an idle connection of a client open, in milliseconds. Set it longer than the reverse proxy or load balancer in front keeps its idle connections.',
  ),
  SHUTDOWN_DELAY_MS: optional(numberBetween(0, 600_000)).describe(
    'How long a stopping gateway still serves requests, in milliseconds. `/readyz` responds with 503 meanwhile. Set it longer than a load balancer needs to notice that. If unset, `5000` in production and `0` outside production.',
  ),
  SECRET: optional(secret).describe(
    'At least 32 characters that authenticate cursors and encrypt webhook secrets and tokens of accounts. Set the same value for all processes that serve one address. If unset outside production, the gateway creates a secret and keeps it in a file beside the SQLite file, or in `.data`. Required in production, unless that file exists beside a SQLite file.',
  ),
  SECRET_PREVIOUS: optional(secret).describe(
    'The former value of `SECRET`, during a change: cursors and stored secrets from before the change stay readable.',
  ),
  DEMO: optional(onOrOff).describe(
    '`on` creates a demo workspace and an API key in an empty database, `off` leaves it empty. If unset, `on` outside production and `off` in production.',
  ),
  GRAPHIQL: prefault(onOrOff, 'on').describe(
    '`on` serves GraphiQL to browsers that open the GraphQL endpoint, `off` does not. If the server listens on a loopback address outside production, the start prints a link that opens GraphiQL with the demo key.',
  ),
  WEBHOOKS_PAGE: prefault(onOrOff, 'on').describe(
    '`on` serves the pages for people: `/webhooks`, and `/jobs-and-posts`. `off` serves neither. In proxy mode there are none, but for `WEBHOOKS=own`.',
  ),
  INTROSPECTION: prefault(onOrOff, 'on').describe(
    '`on` lets anyone read the GraphQL schema, without an API key: by introspection, and at `/schema.graphql`. `off` refuses both, and errors no longer suggest names of the schema.',
  ),
  FEDERATION: prefault(onOrOff, 'off').describe(
    '`on` makes the gateway a subgraph of Apollo Federation 2: the schema has `_service`, which composers read, and `_entities`.',
  ),
  CORS_ORIGINS: prefault(origins, '').describe(
    'Origins, separated by commas, whose pages may call GraphQL and REST, and open a WebSocket: `https://app.example,http://localhost:5173`. If unset, none; in development on a loopback address `http://localhost`, `http://127.0.0.1` and `http://[::1]` with any port.',
  ),
  COMPRESSION: prefault(onOrOff, 'off').describe(
    '`on` compresses responses of GraphQL and REST for clients that accept it, `off` leaves that to a reverse proxy.',
  ),
  DOCUMENTS: optional(manifest).describe(
    'JSON file with the documents of your clients: a manifest that Relay, Apollo or GraphQL Code Generator has written. Clients may then send the id of a document instead of its text.',
  ),
  DOCUMENTS_MODE: optional(oneOf(documentModes)).describe(
    '`only` executes the documents of `DOCUMENTS` and no others, `prefer` executes others too. If unset, `only`.',
  ),
  COMPILED_OPERATIONS: prefault(onOrOff, 'on').describe(
    '`on` builds responses to queries of lists from JSON, without resolvers, which takes less CPU. `off` executes everything with resolvers. The responses are the same.',
  ),
  RESPONSE_CACHE: prefault(oneOf(['off', 'memory', 'redis']), 'off').describe(
    'Where responses to queries are cached. `redis`: in a server that all processes share. `memory`: in the process, which must be the only one on its SQLite file. `off`: nowhere. Set the same value for all processes that serve one address.',
  ),
  RESPONSE_CACHE_MAX_AGE: prefault(numberBetween(1, 60), '60').describe(
    'Largest number of seconds that a response is cached, up to 60.',
  ),
  REDIS_URL: optional(redisUrl).describe(
    'Redis server of `RESPONSE_CACHE=redis`: `redis://<user>:<password>@<host>/<number>`, or `rediss://` for TLS.',
  ),
  GRAPHQL_MAX_COST: prefault(numberBetween(1, 1_000_000_000), '150000').describe(
    'Largest cost of a GraphQL operation, in the units of `@cost` in `schema.graphql`.',
  ),
  OUTBOUND_ALLOW: prefault(readBy(readBlocks), '').describe(
    'Addresses and blocks, separated by commas, that webhooks may point to although they are not public: `10.0.0.0/8`. If unset, none; in development on a loopback address `127.0.0.0/8` and `::1`.',
  ),
  DELIVERY_RETENTION_DAYS: prefault(numberBetween(1, 3_650), '30').describe(
    'Days to keep events and their finished or held deliveries.',
  ),
  DELIVERY_MAX_EVENTS: prefault(numberBetween(0, 1_000_000_000), '0').describe(
    'Largest number of events to keep, over all workspaces, with their finished or held deliveries. The oldest are deleted first. `0` sets no limit.',
  ),
  REQUESTS_PER_MINUTE: prefault(quota, '60000').describe('Requests that one API key can make. `0` sets no limit.'),
  KEYLESS_PER_MINUTE: prefault(quota, '600').describe(
    'GraphQL requests without an API key that one client address can make, and as many requests with wrong API keys. `0` sets no limit.',
  ),
  TRUST_PROXY: prefault(readBy(readBlocks), '').describe(
    'Addresses and blocks, separated by commas, of your reverse proxies: `10.0.0.0/8`. The address of a client is then what they send as `X-Forwarded-For`. If unset, it is the address of the connection.',
  ),
  EVENTS_PER_SECOND: prefault(quota, '100').describe(
    'Events that one workspace can emit. It can create ten times as many deliveries, and the events can have 8 MiB, or 8 MiB for each 100 of more events. `0` sets no limit for all three.',
  ),
  WEBHOOKS_PER_WORKSPACE: prefault(quota, '500').describe('Webhooks that one workspace can have. `0` sets no limit.'),
  STORED_BYTES_PER_WORKSPACE: prefault(numberBetween(0, 1_125_899_906_842_624), '10737418240').describe(
    'Bytes that the stored events and job postings of one workspace can take, with 512 for each event, delivery, attempt and posting. `0` sets no limit.',
  ),
  STREAMS_PER_KEY: prefault(numberBetween(1, 1_000_000), '100').describe(
    'Subscriptions that one API key can have open in one process, and as many WebSockets. A workspace can have five times as many, and a process ten times.',
  ),
  HTTP_PROXY: optional(proxyUrl).describe(
    'Proxy, as `http://<user>:<password>@<host>:<port>`, for addresses with `http`: of the upstream service, of an OpenTelemetry collector, and with `OUTBOUND_PROXY=on` of webhooks. In lower case too, which wins.',
  ),
  HTTPS_PROXY: optional(proxyUrl).describe('The same for addresses with `https`, by a tunnel (`CONNECT`).'),
  NO_PROXY: prefault(readBy(readExceptions), '').describe(
    'Hosts, separated by commas, that are reached without a proxy: `service.internal` with all names below it, `.internal` likewise, `*.internal` for the names below alone, addresses, blocks such as `10.0.0.0/8`, each with a port if it is for that alone; `*` for all.',
  ),
  OUTBOUND_PROXY: prefault(onOrOff, 'off').describe(
    '`on` sends deliveries through the proxy too. The proxy then resolves the host names of webhooks, and has to keep deliveries out of your network: the gateway refuses only addresses and names of `/etc/hosts` that `OUTBOUND_ALLOW` does not allow.',
  ),
  UPSTREAM_URL: optional(serviceAddress).describe(
    'Base URL of a service that speaks the contract, with or without `/v1`: `https://api.example/api`. It then serves the jobs, posts and webhooks.',
  ),
  UPSTREAM_API_KEY: optional(headerValue).describe(
    'API key for all calls to the upstream service. Callers then need API keys of this gateway, which keeps them in its database. Each of those keys reaches everything that this one reaches. If unset, the gateway forwards the key of each caller, and the upstream service checks it.',
  ),
  WEBHOOKS: prefault(oneOf(['service', 'own']), 'service').describe(
    'Whose webhooks are served in front of a service with `UPSTREAM_API_KEY`. `service`: those of the service. `own`: those of the gateway, which receives the events of the service, delivers them, and has accounts, deliveries and subscriptions.',
  ),
  PUBLIC_URL: optional(publicUrl).describe(
    'Address of the gateway as others reach it: `https://gateway.example`. With `WEBHOOKS=own`, which requires it, the service posts its events below `/intake`. Sandbox posts have pictures below it; if unset, below the address of `HOST` and `PORT`, and with `PORT=0` nowhere.',
  ),
  INTAKE_EVENTS: prefault(eventNames, '').describe(
    'Events that the service is asked to send with `WEBHOOKS=own`: names of events or of sources, separated by commas. If unset, all.',
  ),
  UPSTREAM_NAMES: optional(termMap).describe(
    'JSON file that maps terms of the contract to those of the upstream service, if they differ.',
  ),
  UPSTREAM_IDEMPOTENCY: prefault(onOrOff, 'off').describe(
    '`on` if the upstream service acts once for each `Idempotency-Key`, as Postern in embedded mode does. With forwarded API keys, the gateway then repeats a failed request that has one.',
  ),
  UPSTREAM_HEADERS: optional(headers).describe('Headers to add to every upstream call, as a JSON object.'),
  UPSTREAM_TIMEOUT_MS: prefault(numberBetween(1, 600_000), '20000').describe(
    'Time limit of an upstream call in milliseconds, including its retries. All calls of one operation have twice that time.',
  ),
  UPSTREAM_CONNECTIONS: prefault(numberBetween(1, 10_000), '64').describe(
    'Maximum number of connections to the upstream service for requests; readiness checks have one more.',
  ),
} as const;

export const variableTable = Object.entries(variables).map(([name, shape]) => ({
  name,
  help: shape.description ?? '',
  fallback: shape instanceof z.ZodPrefault ? String(shape.def.defaultValue) : '',
}));
