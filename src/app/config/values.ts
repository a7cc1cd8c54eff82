/**
 * Readers of the values that environment variables have. Each takes the text of a variable and throws an Error whose
 * message continues the variable's name: "must be …". A value that may contain a password is not repeated in a message.
 */
import { Resolver } from 'node:dns';
import { readFileSync } from 'node:fs';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { z } from 'zod';
import { type DocumentManifest, readManifest } from '../../graphql/documents/document-manifest.ts';
import type { DatabaseLocation } from '../../store/database.ts';
import type { UpstreamSettings } from '../../upstream/settings.ts';
import type { TermMap } from '../../upstream/translation.ts';

/** An integer in decimal digits. */
export function wholeNumber(min: number, max: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (/^\d+$/.test(value) && number >= min && number <= max) return number;
    throw new Error(`must be a whole number from ${min} to ${max}, but is "${value}"`);
  };
}

/** A word of a closed vocabulary. */
export function oneOf<const T extends string>(allowed: readonly T[]): (value: string) => T {
  return (value) => {
    const found = allowed.find((each) => each === value);
    if (found !== undefined) return found;
    throw new Error(`must be one of ${allowed.join(', ')}, but is "${value}"`);
  };
}

/** `sqlite:<file>` or a Postgres URL. */
export function databaseLocation(value: string): DatabaseLocation {
  const sqlite = /^sqlite:(?:\/\/)?(.+)$/.exec(value);
  if (sqlite?.[1] !== undefined) return { kind: 'sqlite', file: sqlite[1] };
  if (/^postgres(?:ql)?:\/\//.test(value) && URL.canParse(value)) return { kind: 'postgres', url: value };
  // The message does not repeat the value, which may contain a password.
  throw new Error('must be sqlite:<file> or postgres://<user>:<password>@<host>/<database>');
}

/** The URL of a Redis server. */
export function redisUrl(value: string): string | undefined {
  if (value === '') return undefined;
  if (/^rediss?:\/\/./.test(value) && URL.canParse(value)) return value;
  // The message does not repeat the value, which may contain a password.
  throw new Error('must be redis://<user>:<password>@<host>/<number>, or the same with rediss://');
}

/** Addresses of name servers, with commas between. */
export function nameServers(value: string): readonly string[] {
  const servers = value
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  try {
    new Resolver().setServers(servers);
    return servers;
  } catch {
    throw new Error(`must be addresses such as 10.0.0.2 or 10.0.0.2:5353, with commas between, but is "${value}"`);
  }
}

/** Origins, with commas between, as browsers send them: scheme, host, and a port that is not the scheme's own. */
export function origins(value: string): readonly string[] {
  const entries = value.split(',').map((entry) => entry.trim());
  return entries.filter((entry) => entry !== '').map(origin);
}

function origin(entry: string): string {
  if (entry === '*') throw new Error('must name each origin: "*" would let every page read responses');
  const { protocol, host } = URL.canParse(entry) ? new URL(entry) : { protocol: '', host: '' };
  const canonical = `${protocol}//${host}`;
  if (host !== '' && entry === canonical) return entry;
  const meant = host === '' ? '' : `: did you mean ${canonical}?`;
  throw new Error(`must be origins such as https://app.example, with commas between, but has "${entry}"${meant}`);
}

/** The secret of the deployment: at least 32 characters. */
export function secret(value: string): string | undefined {
  if (value === '') return undefined;
  if (value.length >= 32) return value;
  throw new Error('must have at least 32 characters: create one with "openssl rand -base64 32"');
}

/** An address without slashes at its end. */
export const withoutLastSlashes = (url: string): string =>
  url.endsWith('/') ? withoutLastSlashes(url.slice(0, -1)) : url;

/** The base URL of the upstream service as origin and path, without a trailing slash or `/v1`. */
export function upstreamAddress(value: string): Pick<UpstreamSettings, 'origin' | 'basePath'> | null {
  if (value === '') return null;
  const url = URL.canParse(value) ? new URL(value) : null;
  // The message does not repeat the value, which may contain a password.
  if (url === null || !/^https?:$/.test(url.protocol) || url.username + url.password + url.search + url.hash !== '') {
    throw new Error('must be https://<host>[/<path>], without credentials, query and fragment');
  }
  return { origin: url.origin, basePath: withoutLastSlashes(url.pathname).replace(/\/v1$/, '') };
}

/** Text that can be sent as the value of a header. */
export function headerValue(value: string): string | undefined {
  if (value === '') return undefined;
  try {
    validateHeaderValue('value', value);
    return value;
  } catch {
    throw new Error('contains characters that are not allowed in a header');
  }
}

/** Headers that the upstream client sets itself, or that concern the connection. */
const ownHeaders: ReadonlySet<string> = new Set([
  ...['accept', 'accept-encoding', 'connection', 'content-length', 'content-type', 'expect', 'host', 'keep-alive'],
  ...['transfer-encoding', 'upgrade', 'x-api-key', 'x-request-id'],
]);

/** A JSON object of header names and values. Names are returned in lower case. */
export function headers(value: string): Readonly<Record<string, string>> | undefined {
  if (value === '') return undefined;
  return Object.fromEntries(
    Object.entries(jsonObject(value)).map(([name, content]) => {
      if (ownHeaders.has(name.toLowerCase())) throw new Error(`must not set ${name}: the gateway sets it`);
      if (typeof content !== 'string') throw new Error(`must have a string as the value of the header "${name}"`);
      try {
        validateHeaderName(name);
        validateHeaderValue(name, content);
      } catch {
        throw new Error(`has a header "${name}" that cannot be sent`);
      }
      return [name.toLowerCase(), content];
    }),
  );
}

const termMapShape = z.record(z.string(), z.record(z.string(), z.string().min(1)));

/** Reads the file of UPSTREAM_NAMES. The reader of the table checks that its vocabularies and terms are the contract's. */
export function termMap(file: string): TermMap | undefined {
  if (file === '') return undefined;
  const { data, error } = termMapShape.safeParse(jsonObject(readText(file)));
  if (data !== undefined) return data;
  throw new Error(`names a file in which "${String(error.issues[0]?.path[0])}" is not an object of strings`);
}

/** Reads the file of DOCUMENTS. The gateway checks its documents against the schema when it starts. */
export const manifest = (file: string): DocumentManifest | undefined =>
  file === '' ? undefined : readManifest(jsonObject(readText(file)));

/** @throws Error when the file cannot be read */
export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`names a file that cannot be read: ${messageOf(error)}`);
  }
}

function jsonObject(value: string): object {
  try {
    const parsed: unknown = JSON.parse(value);
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed;
  } catch {
    // The message below does not repeat the value: headers may be secrets.
  }
  throw new Error('must be, or name a file with, a JSON object');
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
