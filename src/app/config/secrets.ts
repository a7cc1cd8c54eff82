/** Secrets of the environment, kept out of log lines and messages. */
import { ConfigError } from '../../kernel/config-error.ts';
import { messageOf } from '../../kernel/lib/to-error.ts';
import { readText } from './values.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

type SecretsOf = (text: string) => readonly string[];

const whole: SecretsOf = (text) => [text];

/** Also in a URL that cannot be parsed. */
const inUrl: SecretsOf = (text) => {
  const password = /:\/\/[^\s/?#:]*:([^\s/?#]*)@/.exec(text)?.[1] ?? '';
  return [password, unescaped(password), URL.parse(text)?.searchParams.get('password') ?? ''];
};

const escapedInJson: SecretsOf = (text) => {
  try {
    return Object.values<unknown>(JSON.parse(text)).filter((value) => typeof value === 'string');
  } catch {
    return [text];
  }
};

/** W3C Baggage, as OpenTelemetry writes headers: `key=value,key=value`. */
const inPairs: SecretsOf = (text) =>
  text
    .split(',')
    .map((pair) => pair.slice(pair.indexOf('=') + 1).trim())
    .flatMap((value) => [value, unescaped(value)]);

/** Variables with secrets. Each may be in a file. */
const ours = {
  DATABASE_URL: inUrl,
  DATABASE_DIRECT_URL: inUrl,
  SECRET: whole,
  SECRET_PREVIOUS: whole,
  REDIS_URL: inUrl,
  HTTP_PROXY: inUrl,
  HTTPS_PROXY: inUrl,
  UPSTREAM_API_KEY: whole,
  UPSTREAM_HEADERS: escapedInJson,
} as const;

export const secretNames: readonly string[] = Object.keys(ours);

/** Variables that libraries read, and other names of ours. */
const ofLibraries = {
  PGPASSWORD: whole,
  http_proxy: inUrl,
  https_proxy: inUrl,
  OTEL_EXPORTER_OTLP_HEADERS: inPairs,
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: inPairs,
  OTEL_EXPORTER_OTLP_METRICS_HEADERS: inPairs,
  OTEL_EXPORTER_OTLP_ENDPOINT: inUrl,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: inUrl,
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: inUrl,
} as const;

/** Finds those of an invalid configuration too, whose error must not show them either. */
export function secretsIn(environment: Environment): readonly string[] {
  const found = Object.entries<SecretsOf>({ ...ours, ...ofLibraries }).flatMap(([name, secretsOf]) =>
    secretsOf(textOf(name, environment)),
  );
  return [...new Set(found.filter((text) => text !== ''))];
}

function textOf(name: string, environment: Environment): string {
  try {
    return readSecret(name, environment) ?? '';
  } catch {
    // readConfig reports the file's fault.
    return environment[name] ?? '';
  }
}

/** The variable for the path of a file with the value. */
export const fileVariable = (name: string): string => `${name}_FILE`;

/** A file's content has no final line break of editors. */
export function readSecret(name: string, environment: Environment): string | undefined {
  const fileName = fileVariable(name);
  const file = environment[fileName];
  if (!file) return environment[name];
  if (environment[name]) throw new ConfigError(`${name} and ${fileName} are both set: leave one of them out`);
  try {
    const value = readText(file).replace(/\r?\n$/, '');
    if (value !== '') return value;
  } catch (error) {
    throw new ConfigError(`${fileName} ${messageOf(error)}`);
  }
  throw new ConfigError(`${fileName} names a file that is empty`);
}

const unescaped = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
