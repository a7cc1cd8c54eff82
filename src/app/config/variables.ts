import { documentModes } from '../../graphql/documents/document-manifest.ts';
import { readBlocks } from '../../net/addresses.ts';
import { readExceptions } from '../../net/proxies.ts';
import { postgresVariables } from './postgres.ts';
import { telemetryVariables } from './telemetry.ts';
import {
  databaseLocation,
  eventNames,
  headers,
  headerValue,
  manifest,
  nameServers,
  oneOf,
  onOrOff,
  origins,
  postgresUrl,
  proxyUrl,
  publicUrl,
  redisUrl,
  secret,
  termMap,
  upstreamAddress,
  wholeNumber,
} from './values.ts';
import { optionalSecret, optionalVariable, secretVariable, switchVariable, variable } from './variable.ts';

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** 0 for any number. */
const countVariable = wholeNumber(0, 10_000_000);

export const variables = {
  HOST: variable('The address to listen on.', '127.0.0.1', (value) => value),
  PORT: variable('The port to listen on. `0` picks a free port.', '4000', wholeNumber(0, 65_535)),
  DATABASE_URL: secretVariable(
    '`sqlite:<file>`, or `postgres://…` for a Postgres server. Required in production.',
    'sqlite:./.data/postern.db',
    databaseLocation,
  ),
  DATABASE_DIRECT_URL: optionalSecret(
    'The `postgres://…` address of the server itself, if `DATABASE_URL` leads to a pooler that gives each transaction another session. Migrations, locks, notifications and the delivery queue use it.',
    postgresUrl,
  ),
  ...postgresVariables,
  NODE_ENV: variable('`development` or `production`.', 'development', oneOf(['development', 'production', 'test'])),
  LOG_LEVEL: variable(`${logLevels.map((level) => `\`${level}\``).join(', ')}.`, 'info', oneOf(logLevels)),
  ...telemetryVariables,
  KEEP_ALIVE_MS: variable(
    'How long the gateway keeps an idle connection of a client open, in milliseconds. Set it longer than the reverse proxy or load balancer in front keeps its idle connections.',
    '72000',
    wholeNumber(1_000, 3_600_000),
  ),
  SHUTDOWN_DELAY_MS: optionalVariable(
    'How long a stopping gateway still serves requests, in milliseconds. `/readyz` responds with 503 meanwhile. Set it longer than a load balancer needs to notice that. If unset, `5000` in production and `0` outside production.',
    wholeNumber(0, 600_000),
  ),
  SECRET: optionalSecret(
    'At least 32 characters that authenticate cursors and encrypt webhook secrets. Set the same value for all processes that serve one address. If unset outside production, the gateway creates a secret and keeps it in a file beside the SQLite file, or in `.data`. Required in production, unless that file exists beside a SQLite file.',
    secret,
  ),
  SECRET_PREVIOUS: optionalSecret(
    'The former value of `SECRET`, during a change: cursors and stored secrets from before the change stay readable.',
    secret,
  ),
  DEMO: optionalVariable(
    '`on` creates a demo workspace and an API key in an empty database, `off` leaves it empty. If unset, `on` outside production and `off` in production.',
    onOrOff,
  ),
  SANDBOX_PICTURES_URL: optionalVariable(
    'Base address of the pictures in sandbox posts, such as `http://localhost:4000`: the gateway as browsers reach it. If unset, the address of `HOST` and `PORT`. Without a demo workspace, or with `PORT=0`, the addresses of pictures lead nowhere.',
    (value) => upstreamAddress(value).origin,
  ),
  GRAPHIQL: switchVariable(
    '`on` serves GraphiQL to browsers that open the GraphQL endpoint, `off` does not. If the server listens on a loopback address outside production, the start prints a link that opens GraphiQL with the demo key.',
    'on',
  ),
  WEBHOOKS_PAGE: switchVariable(
    '`on` serves the webhooks page at `/webhooks`: health, deliveries and failures of webhooks. `off` does not. In proxy mode there is none.',
    'on',
  ),
  INTROSPECTION: switchVariable(
    '`on` lets anyone read the GraphQL schema, without an API key: by introspection, and at `/schema.graphql`. `off` refuses both, and errors no longer suggest names of the schema.',
    'on',
  ),
  FEDERATION: switchVariable(
    '`on` makes the gateway a subgraph of Apollo Federation 2: the schema has `_service`, which composers read, and `_entities`.',
    'off',
  ),
  CORS_ORIGINS: variable(
    'Origins, separated by commas, whose pages may call GraphQL and REST, and open a WebSocket: `https://app.example,http://localhost:5173`. If unset, none.',
    '',
    origins,
  ),
  COMPRESSION: switchVariable(
    '`on` compresses responses of GraphQL and REST for clients that accept it, `off` leaves that to a reverse proxy.',
    'off',
  ),
  DOCUMENTS: optionalVariable(
    'JSON file with the documents of your clients: a manifest that Relay, Apollo or GraphQL Code Generator has written. Clients may then send the id of a document instead of its text.',
    manifest,
  ),
  DOCUMENTS_MODE: optionalVariable(
    '`only` executes the documents of `DOCUMENTS` and no others, `prefer` executes others too. If unset, `only`.',
    oneOf(documentModes),
  ),
  COMPILED_OPERATIONS: switchVariable(
    '`on` builds responses to queries of lists from JSON, without resolvers, which takes less CPU. `off` executes everything with resolvers. The responses are the same.',
    'on',
  ),
  RESPONSE_CACHE: variable(
    'Where responses to queries are cached. `redis`: in a server that all processes share. `memory`: in the process, which must be the only one on its SQLite file. `off`: nowhere. Set the same value for all processes that serve one address.',
    'off',
    oneOf(['off', 'memory', 'redis']),
  ),
  RESPONSE_CACHE_MAX_AGE: variable(
    'Largest number of seconds that a response is cached, up to 60.',
    '60',
    wholeNumber(1, 60),
  ),
  RESPONSE_CACHE_MAX_BYTES: variable(
    'Bytes of responses that one process caches with `RESPONSE_CACHE=memory`.',
    '67108864',
    wholeNumber(1_048_576, 17_179_869_184),
  ),
  REDIS_URL: optionalSecret(
    'Redis server of `RESPONSE_CACHE=redis`: `redis://<user>:<password>@<host>/<number>`, or `rediss://` for TLS.',
    redisUrl,
  ),
  GRAPHQL_MAX_COST: variable(
    'Largest cost of a GraphQL operation, in the units of `@cost` in `schema.graphql`.',
    '150000',
    wholeNumber(1, 1_000_000_000),
  ),
  GRAPHQL_MAX_BYTES: variable('Largest GraphQL response in bytes.', '16777216', wholeNumber(1, 268_435_456)),
  OUTBOUND_ALLOW: variable(
    'Addresses and blocks, separated by commas, that webhooks may point to although they are not public: `10.0.0.0/8`.',
    '',
    readBlocks,
  ),
  DNS_SERVERS: variable(
    'Name servers, separated by commas, that resolve the host names of webhooks: `10.0.0.2,10.0.0.3:5353`. If unset, those of `/etc/resolv.conf`.',
    '',
    nameServers,
  ),
  DELIVERY_RETENTION_DAYS: variable(
    'Days to keep events and their finished or held deliveries.',
    '30',
    wholeNumber(1, 3_650),
  ),
  DELIVERY_MAX_EVENTS: variable(
    'Largest number of events to keep, over all workspaces, with their finished or held deliveries. The oldest are deleted first. `0` sets no limit.',
    '0',
    wholeNumber(0, 1_000_000_000),
  ),
  DELIVERY_MAX_BYTES: variable(
    'Largest number of bytes of payloads that one process holds in memory. One webhook gets an eighth of them at most.',
    '67108864',
    wholeNumber(1_048_576, 17_179_869_184),
  ),
  REQUESTS_PER_MINUTE: variable('Requests that one API key can make. `0` sets no limit.', '60000', countVariable),
  WRONG_KEYS_PER_MINUTE: variable(
    'Requests with wrong API keys that one client address can make. `0` sets no limit.',
    '600',
    countVariable,
  ),
  KEYLESS_PER_MINUTE: variable(
    'GraphQL requests without an API key that one client address can make. `0` sets no limit.',
    '600',
    countVariable,
  ),
  TRUST_PROXY: variable(
    'Addresses and blocks, separated by commas, of your reverse proxies: `10.0.0.0/8`. The address of a client is then what they send as `X-Forwarded-For`. If unset, it is the address of the connection.',
    '',
    readBlocks,
  ),
  EVENTS_PER_SECOND: variable('Events that one workspace can emit. `0` sets no limit.', '100', countVariable),
  EVENT_BYTES_PER_SECOND: variable(
    'Bytes of events that one workspace can emit. `0` sets no limit.',
    '8388608',
    wholeNumber(0, 1_073_741_824),
  ),
  DELIVERIES_PER_SECOND: variable(
    'Deliveries that one workspace can create, by events or by redelivery. `0` sets no limit.',
    '1000',
    countVariable,
  ),
  WEBHOOKS_PER_WORKSPACE: variable('Webhooks that one workspace can have. `0` sets no limit.', '500', countVariable),
  STORED_BYTES_PER_WORKSPACE: variable(
    'Bytes that the stored events and job postings of one workspace can take, with 512 for each event, delivery, attempt and posting. `0` sets no limit.',
    '10737418240',
    wholeNumber(0, 1_125_899_906_842_624),
  ),
  STREAMS_PER_KEY: variable(
    'Subscriptions that one API key can have open in one process, and as many WebSockets.',
    '100',
    wholeNumber(1, 1_000_000),
  ),
  STREAMS_PER_WORKSPACE: variable(
    'Subscriptions that all API keys of one workspace can have open in one process, and as many WebSockets.',
    '500',
    wholeNumber(1, 1_000_000),
  ),
  STREAMS_PER_PROCESS: variable(
    'Subscriptions that one process can have open, and as many WebSockets.',
    '1000',
    wholeNumber(1, 1_000_000),
  ),
  HTTP_PROXY: optionalSecret(
    'Proxy, as `http://<user>:<password>@<host>:<port>`, for addresses with `http`: of the upstream service, of an OpenTelemetry collector, and with `OUTBOUND_PROXY=on` of webhooks. In lower case too, which wins.',
    proxyUrl,
  ),
  HTTPS_PROXY: optionalSecret('The same for addresses with `https`, by a tunnel (`CONNECT`).', proxyUrl),
  NO_PROXY: variable(
    'Hosts, separated by commas, that are reached without a proxy: `service.internal` with all names below it, `.internal` likewise, `*.internal` for the names below alone, addresses, blocks such as `10.0.0.0/8`, each with a port if it is for that alone; `*` for all.',
    '',
    readExceptions,
  ),
  OUTBOUND_PROXY: switchVariable(
    '`on` sends deliveries through the proxy too. The proxy then resolves the host names of webhooks, and has to keep deliveries out of your network: the gateway refuses only addresses and names of `/etc/hosts` that `OUTBOUND_ALLOW` does not allow.',
    'off',
  ),
  UPSTREAM_URL: optionalVariable(
    'Base URL of a service that speaks the contract, with or without `/v1`: `https://api.example/api`. It then serves the jobs, posts and webhooks.',
    upstreamAddress,
  ),
  UPSTREAM_API_KEY: optionalSecret(
    'API key for all calls to the upstream service. Callers then need API keys of this gateway, which keeps them in its database. Each of those keys reaches everything that this one reaches. If unset, the gateway forwards the key of each caller, and the upstream service checks it.',
    headerValue,
  ),
  WEBHOOKS: variable(
    'Whose webhooks are served in front of a service with `UPSTREAM_API_KEY`. `service`: those of the service. `own`: those of the gateway, which receives the events of the service, delivers them, and has accounts, deliveries and subscriptions.',
    'service',
    oneOf(['service', 'own']),
  ),
  PUBLIC_URL: optionalVariable(
    'Address of the gateway as the service reaches it: `https://gateway.example`. The service posts its events below `/intake`. Required with `WEBHOOKS=own`.',
    publicUrl,
  ),
  INTAKE_EVENTS: variable(
    'Events that the service is asked to send with `WEBHOOKS=own`: names of events or of sources, separated by commas. If unset, all.',
    '',
    eventNames,
  ),
  UPSTREAM_NAMES: optionalVariable(
    'JSON file that maps terms of the contract to those of the upstream service, if they differ.',
    termMap,
  ),
  UPSTREAM_IDEMPOTENCY: switchVariable(
    '`on` if the upstream service acts once for each `Idempotency-Key`, as Postern in embedded mode does. With forwarded API keys, the gateway then repeats a failed request that has one.',
    'off',
  ),
  UPSTREAM_HEADERS: optionalSecret('Headers to add to every upstream call, as a JSON object.', headers),
  UPSTREAM_TIMEOUT_MS: variable(
    'Time limit of an upstream call in milliseconds, including its retries.',
    '20000',
    wholeNumber(1, 600_000),
  ),
  UPSTREAM_BUDGET_MS: variable(
    'Time limit of all upstream calls of one operation in milliseconds.',
    '40000',
    wholeNumber(1, 600_000),
  ),
  UPSTREAM_MAX_CALLS: variable(
    'Maximum number of upstream calls that one operation can make.',
    '120',
    wholeNumber(1, 100_000),
  ),
  UPSTREAM_CONNECTIONS: variable(
    'Maximum number of connections to the upstream service for requests; readiness checks have one more.',
    '64',
    wholeNumber(1, 10_000),
  ),
  UPSTREAM_MAX_BYTES: variable(
    'Maximum size of an upstream response body in bytes.',
    '16777216',
    wholeNumber(1, 1_073_741_824),
  ),
} as const;

export type Variables = { readonly [Name in keyof typeof variables]: ReturnType<(typeof variables)[Name]['read']> };

export const variableTable = Object.entries(variables).map(([name, { help, fallback }]) => ({ name, help, fallback }));

export const secretNames: readonly string[] = Object.entries(variables).flatMap(([name, { secret: isSecret }]) =>
  isSecret ? [name] : [],
);
