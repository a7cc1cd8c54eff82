/** Readers of variables: an Error's message continues the variable's name, without values that may be secret. */
import { Resolver } from 'node:dns';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { type WebhookEvent, webhookEvents, webhookSourceNames, webhookSources } from '../../events/sources.ts';
import { type DocumentManifest, readManifest } from '../../graphql/documents/document-manifest.ts';
import { commaList } from '../../kernel/lib/comma-list.ts';
import { http } from '../../kernel/lib/node-http.ts';
import { isObject } from '../../kernel/lib/objects.ts';
import { messageOf } from '../../kernel/lib/to-error.ts';
import type { DatabaseLocation } from '../../store/database.ts';
import type { UpstreamSettings } from '../../upstream/settings.ts';
import type { TermMap } from '../../upstream/translation.ts';

export function wholeNumber(min: number, max: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (/^\d+$/.test(value) && number >= min && number <= max) return number;
    throw new Error(`must be a whole number from ${min} to ${max}, but is "${value}"`);
  };
}

export function oneOf<const T extends string>(allowed: readonly T[]): (value: string) => T {
  return (value) => {
    const found = allowed.find((each) => each === value);
    if (found !== undefined) return found;
    throw new Error(`must be one of ${allowed.join(', ')}, but is "${value}"`);
  };
}

export const onOrOff = (value: string): boolean => oneOf(['on', 'off'])(value) === 'on';

export function databaseLocation(value: string): DatabaseLocation {
  const sqlite = /^sqlite:(?:\/\/)?(.+)$/.exec(value);
  if (sqlite?.[1] !== undefined) return { kind: 'sqlite', file: sqlite[1] };
  if (isPostgresUrl(value)) return { kind: 'postgres', url: value };
  throw new Error('must be sqlite:<file> or postgres://<user>:<password>@<host>/<database>');
}

export function postgresUrl(value: string): string {
  if (isPostgresUrl(value)) return value;
  throw new Error('must be postgres://<user>:<password>@<host>/<database>');
}

const isPostgresUrl = (value: string): boolean => /^postgres(?:ql)?:\/\//.test(value) && URL.canParse(value);

export function redisUrl(value: string): string {
  if (/^rediss?:\/\/./.test(value) && URL.canParse(value)) return value;
  throw new Error('must be redis://<user>:<password>@<host>/<number>, or the same with rediss://');
}

export function proxyUrl(value: string): URL {
  // Other programs take a host alone.
  const url = URL.parse(value.includes('://') ? value : `http://${value}`);
  if (url !== null && /^https?:$/.test(url.protocol) && url.hostname !== '') return url;
  throw new Error('must be http://<host>:<port> or https://<host>:<port>');
}

export function nameServers(value: string): readonly string[] {
  const servers = commaList(value);
  try {
    new Resolver().setServers(servers);
    return servers;
  } catch {
    throw new Error(`must be addresses such as 10.0.0.2 or 10.0.0.2:5353, with commas between, but is "${value}"`);
  }
}

/** As browsers send them, with commas between: scheme, host, and a port that is not the scheme's own. */
export const origins = (value: string): readonly string[] => commaList(value).map(originOf);

function originOf(entry: string): string {
  if (entry === '*') throw new Error('must name each origin: "*" would let every page read responses');
  if (entry.includes('*')) throw new Error(`must name each origin: "${entry}" would match none`);
  const { protocol = '', host = '' } = URL.parse(entry) ?? {};
  const canonical = `${protocol}//${host}`;
  if (host !== '' && entry === canonical) return entry;
  const meant = host === '' ? '' : `: did you mean ${canonical}?`;
  throw new Error(`must be origins such as https://app.example, with commas between, but has "${entry}"${meant}`);
}

export function secret(value: string): string {
  if (value.length >= 32) return value;
  throw new Error('must have at least 32 characters: create one with "openssl rand -base64 32"');
}

export const withoutLastSlashes = (url: string): string =>
  url.endsWith('/') ? withoutLastSlashes(url.slice(0, -1)) : url;

export function upstreamAddress(value: string): Pick<UpstreamSettings, 'origin' | 'basePath'> {
  const url = URL.parse(value);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username + url.password + url.search + url.hash !== '') {
    throw new Error('must be https://<host>[/<path>], without credentials, query and fragment');
  }
  return { origin: url.origin, basePath: withoutLastSlashes(url.pathname).replace(/\/v1$/, '') };
}

/** Without a slash at its end. */
export function publicUrl(value: string): string {
  const { origin, basePath } = upstreamAddress(value);
  return origin + basePath;
}

/** Of events, or of all events of a source. Empty: all. */
export function eventNames(value: string): readonly WebhookEvent[] {
  const names = commaList(value);
  if (names.length === 0) return webhookEvents;
  const chosen = names.flatMap((name): readonly WebhookEvent[] => {
    const source = webhookSourceNames.find((each) => each === name);
    if (source !== undefined) return webhookSources[source].events;
    const event = webhookEvents.find((each) => each === name);
    if (event === undefined) throw new Error(`must name events or sources, but has "${name}"`);
    return [event];
  });
  return [...new Set(chosen)];
}

export function headerValue(value: string): string {
  try {
    http.validateHeaderValue('value', value);
    return value;
  } catch {
    throw new Error('contains characters that are not allowed in a header');
  }
}

/** Set by the upstream client itself, or about the connection. */
const ownHeaders: ReadonlySet<string> = new Set([
  ...['accept', 'accept-encoding', 'connection', 'content-length', 'content-type', 'expect', 'host', 'keep-alive'],
  ...['transfer-encoding', 'upgrade', 'x-api-key', 'x-request-id'],
]);

/** A JSON object; names are returned in lower case. */
export function headers(value: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(readJsonObject(value)).map(([name, content]) => {
      if (ownHeaders.has(name.toLowerCase())) throw new Error(`must not set ${name}: the gateway sets it`);
      if (typeof content !== 'string') throw new Error(`must have a string as the value of the header "${name}"`);
      try {
        http.validateHeaderName(name);
        http.validateHeaderValue(name, content);
      } catch {
        throw new Error(`has a header "${name}" that cannot be sent`);
      }
      return [name.toLowerCase(), content];
    }),
  );
}

const termMapShape = z.record(z.string(), z.record(z.string(), z.string().min(1)));

/** Of UPSTREAM_NAMES. The table's reader checks its vocabularies and terms. */
export function termMap(file: string): TermMap {
  const { data, error } = termMapShape.safeParse(readJsonObject(readText(file)));
  if (data !== undefined) return data;
  throw new Error(`names a file in which "${String(error.issues[0]?.path[0])}" is not an object of strings`);
}

/** Of DOCUMENTS, checked against the schema at the start. */
export const manifest = (file: string): DocumentManifest => readManifest(readJsonObject(readText(file)));

export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`names a file that cannot be read: ${messageOf(error)}`);
  }
}

function readJsonObject(value: string): object {
  try {
    const parsed: unknown = JSON.parse(value);
    if (isObject(parsed)) return parsed;
  } catch {
    // The message below does not repeat the value: headers may be secrets.
  }
  throw new Error('must be, or name a file with, a JSON object');
}
