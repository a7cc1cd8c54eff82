/** The head of a request: its target and its headers. */

import type { IncomingMessage } from 'node:http';
import { unescape as lenient } from 'node:querystring';
import { malformedRequest, ServiceError } from '../kernel/errors.ts';
import { redacted } from '../kernel/secrets/redact.ts';
import { HttpRefusal } from './http-refusal.ts';

/** Request line and headers together, in bytes. */
export const maxHeadersLength = 16_384;

/** Characters, as a bound for patterns. */
export const maxHeaderLength = 2_048;

export const requestHeaders = [
  'accept',
  'accept-encoding',
  'access-control-request-headers',
  'access-control-request-method',
  'authorization',
  'content-encoding',
  'content-type',
  'graphql-cost',
  'host',
  'idempotency-key',
  'if-none-match',
  'origin',
  'sec-fetch-site',
  'traceparent',
  'tracestate',
  'x-api-key',
  'x-forwarded-for',
  'x-request-id',
] as const;

export type RequestHeaders = Readonly<Partial<Record<(typeof requestHeaders)[number], string>>>;

/** @returns undefined for a readable message */
export function headerRefusal({ httpVersion, headers, rawHeaders }: IncomingMessage): ServiceError | undefined {
  if (httpVersion === '1.1' && headers.host === undefined) {
    return malformedRequest('The request has no Host header.');
  }
  // RFC 9112, section 3.2. Node.js keeps the first, and a proxy before it perhaps the last.
  if (countOf('host', rawHeaders) > 1) {
    return malformedRequest('The request has more than one Host header.');
  }
  if (headers.host !== undefined && !isHost(headers.host)) {
    return malformedRequest('The Host header is not valid.');
  }
  const tooLong = requestHeaders.find((name) => (headers[name]?.length ?? 0) > maxHeaderLength);
  if (tooLong === undefined) return undefined;
  return new ServiceError('content_too_large', {
    detail: `The header ${tooLong} can have at most ${maxHeaderLength} characters.`,
  });
}

/** @param rawHeaders names and values, alternating */
function countOf(header: string, rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === header) count += 1;
  return count;
}

/** RFC 9112, section 3.2: it may be empty. Yoga makes a URL of it. */
const isHost = (host: string): boolean => !/[/?#@\\]/.test(host) && URL.canParse(`http://${host || 'localhost'}`);

/** Lower case, without parameters. */
export const mediaTypeOf = ({ 'content-type': type = '' }: RequestHeaders): string =>
  (type.split(';', 1)[0] ?? '').trim().toLowerCase();

/** A coded body could grow to many times the limit. @throws HttpRefusal */
export function requireNoCoding({ 'content-encoding': coding = '' }: RequestHeaders): void {
  if (/^(?:identity)?$/i.test(coding.trim())) return;
  throw new HttpRefusal(415, { detail: 'Send the body without Content-Encoding.' });
}

export const asksForUpgrade = ({ headers }: IncomingMessage): boolean =>
  headers.upgrade !== undefined && /\bupgrade\b/i.test(headers.connection ?? '');

/** Other upgrades, such as HTTP/2, are ignored. */
export const asksForSocket = (raw: IncomingMessage): boolean =>
  asksForUpgrade(raw) && raw.headers.upgrade?.toLowerCase() === 'websocket';

/**
 * A client may send the absolute address (RFC 9112, section 3.2.2), whose path may be empty (RFC 9110, section 4.2.3). Once,
 * before anything reads the target: what is left is its path, and its host is the request's, whatever a valid `Host` says.
 */
export function toOriginForm(raw: Pick<IncomingMessage, 'url' | 'headers'>): void {
  const target = raw.url ?? '';
  const [origin, host = ''] = /^https?:\/\/([^/?#]+)/i.exec(target) ?? [];
  if (origin === undefined) return;
  const rest = target.slice(origin.length);
  raw.url = rest.startsWith('/') ? rest : `/${rest}`;
  if (raw.headers.host !== undefined && isHost(raw.headers.host)) raw.headers.host = host;
}

/** @param url of {@link toOriginForm} */
export function pathIn(url: string): string {
  const end = url.search(/[?#]/);
  return (end === -1 ? url : url.slice(0, end)) || '/';
}

/**
 * Values in their order. @param plus a plain plus sign: a space, as in forms, or itself
 * @throws ServiceError `unescaped_characters` for invalid UTF-8: another text would go on than was sent
 */
type QueryReader = (name: string, plus?: ' ' | '+') => string[];

/** Reads parameters one by one: those that nobody asks for may be malformed. */
export function parametersOfUrl(url: string): QueryReader {
  const [, query = ''] = url.split(/\?(.*)/s, 2);
  const pairs = query.split('&').map(pairOf);
  return (name, plus = ' ') =>
    pairs.filter((pair) => pair.name === name).map(({ value }) => decode(name, value.replaceAll('+', plus)));
}

interface Pair {
  readonly name: string;
  readonly value: string;
}

function pairOf(pair: string): Pair {
  const end = pair.indexOf('=');
  const [name, value] = end === -1 ? [pair, ''] : [pair.slice(0, end), pair.slice(end + 1)];
  return { name: lenient(name.replaceAll('+', ' ')), value };
}

/** Clients encode all others. */
const printable = /^[ -~]*$/;

function decode(name: string, value: string): string {
  try {
    if (printable.test(value)) return decodeURIComponent(value);
  } catch {
    // Not decodable: as below.
  }
  throw new ServiceError('unescaped_characters', {
    detail: `The value of the query parameter ${name} is not percent-encoded UTF-8.`,
  });
}

/** An API key or an access token, from any gateway: clients put them into paths by mistake. */
const credential = /(?:postern(?:_|%5f)|eyJ[\w-]{8,256}(?:\.|%2e))[\w.%-]+/gi;

/** For a path in the log and in traces. */
export const withoutCredentials = (path: string): string =>
  path.search(credential) === -1 ? path : path.replaceAll(credential, redacted);
