/** Shapes of values: an issue's message continues the variable's name, without values that may be secret. */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { type WebhookEvent, webhookEvents, webhookSourceNames, webhookSources } from '../../events/sources.ts';
import { readManifest } from '../../graphql/documents/document-manifest.ts';
import { commaList } from '../../kernel/lib/comma-list.ts';
import { http } from '../../kernel/lib/node-http.ts';
import { isObject } from '../../kernel/lib/objects.ts';
import { messageOf } from '../../kernel/lib/to-error.ts';
import type { DatabaseLocation } from '../../store/database.ts';

const text = z.string();

/** @param reader throws an Error whose message says what the value must be */
export const readBy = <T>(reader: (text: string) => T) =>
  text.transform((given, context): T => {
    try {
      return reader(given);
    } catch (error) {
      context.addIssue(messageOf(error));
      return z.NEVER;
    }
  });

const textThat = (isRight: (text: string) => boolean, cure: string) =>
  readBy((text) => {
    if (isRight(text)) return text;
    throw new Error(cure);
  });

export const numberBetween = (min: number, max: number, pattern = /^\d+$/, what = 'a whole number') =>
  readBy((text) => {
    const number = Number(text);
    if (pattern.test(text) && number >= min && number <= max) return number;
    throw new Error(`must be ${what} from ${min} to ${max}, but is "${text}"`);
  });

const mostProcesses = 64;

/** A number of processes, `auto` by the cores that this one may use. */
export const processes = z
  .string()
  .transform((text) => (text === 'auto' ? String(Math.min(availableParallelism(), mostProcesses)) : text))
  .pipe(numberBetween(1, mostProcesses));

/** 0 for any number. */
export const quota = numberBetween(0, 10_000_000);

export const share = numberBetween(0, 1, /\d/, 'a number');

export const oneOf = <const T extends string>(allowed: readonly T[]) =>
  z.enum(allowed, { error: ({ input }) => `must be one of ${allowed.join(', ')}, but is "${input}"` });

export const onOrOff = oneOf(['on', 'off']).transform((value) => value === 'on');

/** A boolean as OpenTelemetry writes it. */
export const trueOrFalse = z
  .string()
  .toLowerCase()
  .pipe(oneOf(['true', 'false']))
  .transform((value) => value === 'true');

const isPostgresUrl = (text: string): boolean => /^postgres(?:ql)?:\/\//.test(text) && URL.canParse(text);

export const database = readBy((text): DatabaseLocation => {
  const sqlite = /^sqlite:(?:\/\/)?(.+)$/.exec(text);
  if (sqlite?.[1] !== undefined) return { kind: 'sqlite', file: sqlite[1] };
  if (isPostgresUrl(text)) return { kind: 'postgres', url: text };
  throw new Error('must be sqlite:<file> or postgres://<user>:<password>@<host>/<database>');
});

export const postgresUrl = textThat(isPostgresUrl, 'must be postgres://<user>:<password>@<host>/<database>');

export const redisUrl = textThat(
  (text) => /^rediss?:\/\/./.test(text) && URL.canParse(text),
  'must be redis://<user>:<password>@<host>/<number>, or the same with rediss://',
);

export const otlpEndpoint = textThat(
  (text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''),
  'must be the URL of an OTLP receiver, such as http://127.0.0.1:4318',
);

export const proxyUrl = readBy((text): URL => {
  // Other programs take a host alone.
  const url = URL.parse(text.includes('://') ? text : `http://${text}`);
  if (url !== null && /^https?:$/.test(url.protocol) && url.hostname !== '') return url;
  throw new Error('must be http://<host>:<port> or https://<host>:<port>');
});

/** As browsers send them, with commas between: scheme, host, and a port that is not the scheme's own. */
export const origins = readBy((text) => commaList(text).map(originOf));

function originOf(entry: string): string {
  if (entry === '*') throw new Error('must name each origin: "*" would let every page read responses');
  if (entry.includes('*')) throw new Error(`must name each origin: "${entry}" would match none`);
  const { protocol = '', host = '' } = URL.parse(entry) ?? {};
  const canonical = `${protocol}//${host}`;
  if (host !== '' && entry === canonical) return entry;
  const meant = host === '' ? '' : `: did you mean ${canonical}?`;
  throw new Error(`must be origins such as https://app.example, with commas between, but has "${entry}"${meant}`);
}

/** A port, with the address to listen on before it if need be. */
export const listenAddress = readBy((text) => {
  const [, bracketed, host = bracketed, port = ''] = /^(?:(?:\[([\da-f:]+)\]|([\w.-]+)):)?(\d{1,5})$/i.exec(text) ?? [];
  if (port !== '' && Number(port) <= 65_535) return { host, port: Number(port) };
  throw new Error(`must be a whole number from 0 to 65535, or <address>:<port>, but is "${text}"`);
});

export const secret = textThat(
  (text) => text.length >= 32,
  'must have at least 32 characters: create one with "openssl rand -base64 32"',
);

export const withoutLastSlashes = (url: string): string =>
  url.endsWith('/') ? withoutLastSlashes(url.slice(0, -1)) : url;

export const serviceAddress = readBy((text) => {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username + url.password + url.search + url.hash !== '') {
    throw new Error('must be https://<host>[/<path>], without credentials, query and fragment');
  }
  return { origin: url.origin, basePath: withoutLastSlashes(url.pathname).replace(/\/v1$/, '') };
});

/** Without a slash at its end. */
export const publicUrl = serviceAddress.transform(({ origin, basePath }) => origin + basePath);

/** Names of events, or of all events of a source. Empty: all. */
export const eventNames = readBy((text): readonly WebhookEvent[] => {
  const chosen = commaList(text).flatMap((name): readonly WebhookEvent[] => {
    const source = webhookSourceNames.find((each) => each === name);
    const events = source ? webhookSources[source].events : webhookEvents.filter((each) => each === name);
    if (events.length === 0) throw new Error(`must name events or sources, but has "${name}"`);
    return events;
  });
  return chosen.length === 0 ? webhookEvents : [...new Set(chosen)];
});

export const headerValue = textThat(
  (text) => isSendable('value', text),
  'contains characters that are not allowed in a header',
);

function isSendable(name: string, value: string): boolean {
  try {
    http.validateHeaderName(name);
    http.validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}

/** Set by the upstream client itself, or about the connection. */
const ownHeaders: ReadonlySet<string> = new Set([
  ...['accept', 'accept-encoding', 'connection', 'content-length', 'content-type', 'expect', 'host', 'keep-alive'],
  ...['transfer-encoding', 'upgrade', 'x-api-key', 'x-request-id'],
]);

/** A JSON object; names are returned in lower case. */
export const headers = readBy(
  (text): Readonly<Record<string, string>> =>
    Object.fromEntries(
      Object.entries(readJsonObject(text)).map(([name, content]) => {
        if (ownHeaders.has(name.toLowerCase())) throw new Error(`must not set ${name}: the gateway sets it`);
        if (typeof content !== 'string') throw new Error(`must have a string as the value of the header "${name}"`);
        if (!isSendable(name, content)) throw new Error(`has a header "${name}" that cannot be sent`);
        return [name.toLowerCase(), content];
      }),
    ),
);

const termMapShape = z.record(z.string(), z.record(z.string(), z.string().min(1)));

/** The table of UPSTREAM_NAMES. Its reader checks its vocabularies and terms. */
export const termMap = readBy((file) => {
  const { data, error } = termMapShape.safeParse(readJsonObject(readText(file)));
  if (data !== undefined) return data;
  throw new Error(`names a file in which "${String(error.issues[0]?.path[0])}" is not an object of strings`);
});

/** The manifest of DOCUMENTS, checked against the schema at the start. */
export const manifest = readBy((file) => readManifest(readJsonObject(readText(file))));

export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`names a file that cannot be read: ${messageOf(error)}`);
  }
}

function readJsonObject(text: string): object {
  try {
    const parsed: unknown = JSON.parse(text);
    if (isObject(parsed)) return parsed;
  } catch {
    // The message below does not repeat the value: headers may be secrets.
  }
  throw new Error('must be, or name a file with, a JSON object');
}
