/** The only reader of the environment: one frozen Config, or a ConfigError that names the variable and the cure. */
import { readFileSync } from 'node:fs';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { dirname } from 'node:path';
import { type AddressBlock, readBlocks } from './security/addresses.ts';
import type { DatabaseLocation } from './store/database.ts';
import type { UpstreamSettings } from './upstream/settings.ts';
import type { TermMap } from './upstream/translation.ts';

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly database: DatabaseLocation;
  /** Where files of our own are kept: beside the SQLite file, else `.data`. */
  readonly dataDirectory: string;
  readonly production: boolean;
  readonly logLevel: LogLevel;
  /** What cursors are authenticated and secrets of webhooks encrypted with; undefined: made once and kept in the data directory. */
  readonly secret: string | undefined;
  /** Whether an empty database is given a demo workspace. */
  readonly demo: boolean;
  /** Whether browsers that open the GraphQL endpoint get GraphiQL. */
  readonly graphiql: boolean;
  /** Addresses that deliveries may go to although they are not public. */
  readonly outboundAllow: readonly AddressBlock[];
  /** How long events and what came of their deliveries are kept. */
  readonly deliveryRetentionDays: number;
  /** The service that answers instead of the embedded backend; null: the embedded backend does. */
  readonly upstream: UpstreamSettings | null;
}

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

type Environment = Readonly<Record<string, string | undefined>>;

interface Variable<T> {
  readonly help: string;
  readonly fallback: string;
  /** @throws an Error whose message says what the value must be */
  readonly read: (value: string) => T;
}

const variable = <T>(help: string, fallback: string, read: (value: string) => T): Variable<T> => ({
  help,
  fallback,
  read,
});

const variables = {
  HOST: variable('Address to listen on.', '127.0.0.1', (value) => value),
  PORT: variable('Port to listen on; 0 takes a free one.', '4000', wholeNumber(0, 65_535)),
  DATABASE_URL: variable('sqlite:<file>, or postgres://… for a server.', 'sqlite:./.data/postern.db', databaseLocation),
  NODE_ENV: variable('development or production.', 'development', oneOf(['development', 'production', 'test'])),
  LOG_LEVEL: variable(`${logLevels.join(', ')}.`, 'info', oneOf(logLevels)),
  SECRET: variable(
    'At least 32 characters that authenticate cursors and encrypt the secrets of webhooks. Set it where several processes serve one address; made and kept beside the SQLite file otherwise.',
    '',
    secret,
  ),
  DEMO: variable(
    'on: an empty database is given a demo workspace and key. off: it stays empty.',
    'on',
    oneOf(['on', 'off']),
  ),
  GRAPHIQL: variable(
    'on: browsers that open the GraphQL endpoint get GraphiQL. off: none.',
    'on',
    oneOf(['on', 'off']),
  ),
  OUTBOUND_ALLOW: variable(
    'Addresses and blocks, with commas between, that webhooks may point to although they are not public: 10.0.0.0/8.',
    '',
    readBlocks,
  ),
  DELIVERY_RETENTION_DAYS: variable(
    'Days that events are kept, with the deliveries made of them that are finished or held.',
    '30',
    wholeNumber(1, 3_650),
  ),
  UPSTREAM_URL: variable(
    'Base address of a service that speaks the contract: it then answers for jobs, posts and webhooks. With or without /v1.',
    '',
    upstreamAddress,
  ),
  UPSTREAM_API_KEY: variable(
    "Key that the upstream is called with; callers then need keys of this gateway. Without it callers' own keys are sent on.",
    '',
    headerValue,
  ),
  UPSTREAM_NAMES: variable("JSON file with the upstream's own words where the contract has others.", '', nameTable),
  UPSTREAM_HEADERS: variable('Headers of every call of the upstream, as a JSON object.', '', headers),
  UPSTREAM_TIMEOUT_MS: variable('How long a call may last, with its retries.', '20000', wholeNumber(1, 600_000)),
  UPSTREAM_BUDGET_MS: variable('How long all calls of one operation may last.', '40000', wholeNumber(1, 600_000)),
  UPSTREAM_MAX_CALLS: variable('How many calls one operation may make.', '120', wholeNumber(1, 100_000)),
  UPSTREAM_CONNECTIONS: variable('Connections to the upstream, at most.', '64', wholeNumber(1, 10_000)),
  UPSTREAM_MAX_BYTES: variable('Bytes of an answer, at most.', '16777216', wholeNumber(1, 1_073_741_824)),
} as const;

type Variables = { readonly [Name in keyof typeof variables]: ReturnType<(typeof variables)[Name]['read']> };

/**
 * Reads the configuration.
 * @throws ConfigError for the first value that cannot be used
 */
export function readConfig(environment: Environment): Config {
  const values = Object.fromEntries(
    Object.entries(variables).map(([name, { fallback, read }]) => [
      name,
      readVariable(name, environment, fallback, read as (value: string) => unknown),
    ]),
  ) as unknown as Variables;
  const database = values.DATABASE_URL;
  return Object.freeze({
    host: values.HOST,
    port: values.PORT,
    database,
    dataDirectory: database.kind === 'sqlite' && database.file !== ':memory:' ? dirname(database.file) : '.data',
    production: values.NODE_ENV === 'production',
    logLevel: values.LOG_LEVEL,
    secret: values.SECRET,
    demo: values.DEMO === 'on',
    graphiql: values.GRAPHIQL === 'on',
    outboundAllow: values.OUTBOUND_ALLOW,
    deliveryRetentionDays: values.DELIVERY_RETENTION_DAYS,
    upstream: upstreamSettings(values),
  });
}

function upstreamSettings(values: Variables): UpstreamSettings | null {
  const address = values.UPSTREAM_URL;
  if (address === null) {
    const alone = (['UPSTREAM_API_KEY', 'UPSTREAM_NAMES', 'UPSTREAM_HEADERS'] as const).find(
      (name) => values[name] !== undefined,
    );
    if (alone !== undefined)
      throw new ConfigError(`${alone} is for an upstream: set UPSTREAM_URL too, or leave it out`);
    return null;
  }
  return {
    ...address,
    apiKey: values.UPSTREAM_API_KEY,
    names: values.UPSTREAM_NAMES ?? {},
    headers: values.UPSTREAM_HEADERS ?? {},
    timeoutMs: values.UPSTREAM_TIMEOUT_MS,
    budgetMs: values.UPSTREAM_BUDGET_MS,
    maxCalls: values.UPSTREAM_MAX_CALLS,
    connections: values.UPSTREAM_CONNECTIONS,
    maxBytes: values.UPSTREAM_MAX_BYTES,
  };
}

/** What `--help` prints of the environment. */
export function configHelp(): string {
  return Object.entries(variables)
    .map(([name, { help, fallback }]) => `  ${name.padEnd(25)}${help}${fallback === '' ? '' : ` Default: ${fallback}`}`)
    .join('\n');
}

function readVariable<T>(name: string, environment: Environment, fallback: string, read: (value: string) => T): T {
  const value = environment[name];
  try {
    // An empty variable is one that is not set: that is how shells and composition files leave one out.
    return read(value === undefined || value === '' ? fallback : value);
  } catch (error) {
    throw new ConfigError(`${name} ${(error as Error).message}`);
  }
}

function wholeNumber(min: number, max: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (/^\d+$/.test(value) && number >= min && number <= max) return number;
    throw new Error(`must be a whole number from ${min} to ${max}, but is "${value}"`);
  };
}

function oneOf<const T extends string>(allowed: readonly T[]): (value: string) => T {
  return (value) => {
    const found = allowed.find((each) => each === value);
    if (found !== undefined) return found;
    throw new Error(`must be one of ${allowed.join(', ')}, but is "${value}"`);
  };
}

function databaseLocation(value: string): DatabaseLocation {
  const sqlite = /^sqlite:(?:\/\/)?(.+)$/.exec(value);
  if (sqlite?.[1] !== undefined) return { kind: 'sqlite', file: sqlite[1] };
  if (/^postgres(?:ql)?:\/\//.test(value) && URL.canParse(value)) return { kind: 'postgres', url: value };
  // The value itself is not repeated: it may hold a password.
  throw new Error('must be sqlite:<file> or postgres://<user>:<password>@<host>/<database>');
}

function secret(value: string): string | undefined {
  if (value === '') return undefined;
  if (value.length >= 32) return value;
  throw new Error('must have at least 32 characters: make one with "openssl rand -base64 32"');
}

function upstreamAddress(value: string): Pick<UpstreamSettings, 'origin' | 'basePath'> | null {
  if (value === '') return null;
  const url = URL.canParse(value) ? new URL(value) : null;
  // The value itself is not repeated: it may hold a password.
  if (url === null || !/^https?:$/.test(url.protocol) || url.username + url.password + url.search + url.hash !== '') {
    throw new Error('must be https://<host>[/<path>], without credentials, query and fragment');
  }
  return { origin: url.origin, basePath: url.pathname.replace(/\/+$/, '').replace(/\/v1$/, '') };
}

function headerValue(value: string): string | undefined {
  if (value === '') return undefined;
  try {
    validateHeaderValue('value', value);
    return value;
  } catch {
    throw new Error('has characters that no header can carry');
  }
}

/** Headers that the client sets itself, or that are not for one call alone. */
const ownHeaders: ReadonlySet<string> = new Set([
  ...['accept', 'accept-encoding', 'connection', 'content-length', 'content-type', 'expect', 'host', 'keep-alive'],
  ...['transfer-encoding', 'upgrade', 'x-api-key', 'x-request-id'],
]);

function headers(value: string): Readonly<Record<string, string>> | undefined {
  if (value === '') return undefined;
  const given = Object.entries(jsonObject(value));
  return Object.fromEntries(
    given.map(([name, content]) => {
      if (ownHeaders.has(name.toLowerCase())) throw new Error(`must not set ${name}: the gateway does`);
      try {
        validateHeaderName(name);
        validateHeaderValue(name, content as string);
      } catch {
        throw new Error(`has a header "${name}" that cannot be sent`);
      }
      if (typeof content !== 'string') throw new Error(`must give the header "${name}" as text`);
      return [name.toLowerCase(), content];
    }),
  );
}

/** The file of UPSTREAM_NAMES; whether it names words of the contract is for the reader of the table to say. */
function nameTable(file: string): TermMap | undefined {
  if (file === '') return undefined;
  const table = jsonObject(readText(file));
  for (const [vocabulary, names] of Object.entries(table)) {
    const isTable = typeof names === 'object' && names !== null && !Array.isArray(names);
    if (!isTable || Object.values(names).some((name) => typeof name !== 'string' || name === '')) {
      throw new Error(`names a file in which "${vocabulary}" is not an object of texts`);
    }
  }
  return table as TermMap;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`names a file that cannot be read: ${(error as Error).message}`);
  }
}

function jsonObject(value: string): object {
  try {
    const parsed: unknown = JSON.parse(value);
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed;
  } catch {
    // Said below, without the text: headers may be secrets.
  }
  throw new Error('must be, or name a file with, a JSON object');
}
