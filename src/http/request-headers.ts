import type { IncomingMessage } from 'node:http';
import { malformedRequest, ServiceError } from '../kernel/errors.ts';
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
export function headerRefusal({ httpVersion, headers }: IncomingMessage): ServiceError | undefined {
  if (httpVersion === '1.1' && headers.host === undefined) {
    return malformedRequest('The request has no Host header.');
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
