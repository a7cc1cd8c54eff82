/** Secrets of the environment, kept out of log lines and messages. */
import { type Environment, readSecretFile } from './variable.ts';
import { variables } from './variables.ts';

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

const structured: Readonly<Record<string, SecretsOf>> = {
  DATABASE_URL: inUrl,
  DATABASE_DIRECT_URL: inUrl,
  REDIS_URL: inUrl,
  HTTP_PROXY: inUrl,
  HTTPS_PROXY: inUrl,
  UPSTREAM_HEADERS: escapedInJson,
};

/** Variables that libraries read, and other names of ours. */
const ofLibraries: Readonly<Record<string, SecretsOf>> = {
  PGPASSWORD: whole,
  http_proxy: inUrl,
  https_proxy: inUrl,
  OTEL_EXPORTER_OTLP_HEADERS: inPairs,
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: inPairs,
  OTEL_EXPORTER_OTLP_METRICS_HEADERS: inPairs,
  OTEL_EXPORTER_OTLP_ENDPOINT: inUrl,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: inUrl,
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: inUrl,
};

const readers: readonly (readonly [string, SecretsOf])[] = [
  ...Object.entries(variables).flatMap(([name, { secret }]): [string, SecretsOf][] =>
    secret ? [[name, structured[name] ?? whole]] : [],
  ),
  ...Object.entries(ofLibraries),
];

/** Of an invalid configuration too, whose error must not show them either. */
export const secretsIn = (environment: Environment): readonly string[] => [
  ...new Set(
    readers.flatMap(([name, secretsOf]) => secretsOf(textOf(name, environment))).filter((text) => text !== ''),
  ),
];

function textOf(name: string, environment: Environment): string {
  try {
    return readSecretFile(name, environment) ?? environment[name] ?? '';
  } catch {
    // readConfig reports the file's fault.
    return environment[name] ?? '';
  }
}

const unescaped = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
