/** The only reader of the environment: one frozen Config, or a ConfigError that names the variable and the cure. */
import { dirname } from 'node:path';
import { type AddressBlock, readBlocks } from './addresses.ts';
import type { DatabaseLocation } from './store/database.ts';

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
  /** Addresses that deliveries may go to although they are not public. */
  readonly outboundAllow: readonly AddressBlock[];
  /** How long events and what came of their deliveries are kept. */
  readonly deliveryRetentionDays: number;
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
    outboundAllow: values.OUTBOUND_ALLOW,
    deliveryRetentionDays: values.DELIVERY_RETENTION_DAYS,
  });
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
