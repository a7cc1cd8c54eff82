/**
 * CORS (Fetch standard, "CORS protocol"), ahead of everything that serves requests: errors have its headers too.
 *
 * Credentials, such as cookies, are never allowed: nothing accepts them. An API key is a header like any other, known
 * to the page and named in a preflight request.
 */
import type { IncomingRequest } from './incoming-request.ts';

/** As browsers write them, `https://app.example`; or `loopback`: those of the pages that this machine serves. */
export type Origins = readonly string[] | 'loopback';

interface CorsOptions {
  readonly origins: Origins;
  readonly covers: (path: string) => boolean;
}

export type Cors = ReturnType<typeof corsFor>;

/** Methods of all routes: the router refuses others. */
const allowedMethods = 'GET, HEAD, POST, PATCH, DELETE';

/** Ids, limits and versions that clients act upon. */
export const exposedHeaders = [
  'x-request-id',
  'retry-after',
  'ratelimit',
  'ratelimit-policy',
  'idempotency-replayed',
  'cache-status',
  'etag',
  'allow',
] as const;
const exposed = exposedHeaders.join(', ');

/** Seconds; Chromium's maximum. */
const preflightMaxAge = '7200';

/** Names of headers with commas between, as scripts choose them. */
const listOfHeaders = /^[\w!#$%&'*+.^`|~-]+(?: *, *[\w!#$%&'*+.^`|~-]+)*$/;

/** By the name in the address bar: one of the public DNS that leads to this machine is not among them (DNS rebinding). */
const loopbackOrigin = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/;

export const isAllowedOrigin = (origin: string, origins: Origins): boolean =>
  origins === 'loopback' ? loopbackOrigin.test(origin) : origins.includes(origin);

export function corsFor({ origins, covers }: CorsOptions) {
  /** Headers of a response at a path for a page of the origin. */
  const headersFor = (path: string, origin: string | undefined): Readonly<Record<string, string>> => {
    if (!covers(path)) return {};
    if (origin === undefined || !isAllowedOrigin(origin, origins)) return { vary: 'origin' };
    return { vary: 'origin', 'access-control-allow-origin': origin, 'access-control-expose-headers': exposed };
  };
  return {
    headersFor,
    /** Adds them, whatever becomes of the request. */
    decorate(request: IncomingRequest) {
      request.addHeaders(headersFor(request.path, request.headers.origin));
    },
    /** @returns true for a preflight request, which has its response */
    answer(request: IncomingRequest) {
      if (!isPreflight(request) || !covers(request.path)) return false;
      const { origin = '', 'access-control-request-headers': wanted = '' } = request.headers;
      request.route = 'preflight';
      request.varyBy('access-control-request-headers');
      // Unknown headers do no harm, and clients send their own, such as apollographql-client-name.
      if (isAllowedOrigin(origin, origins)) {
        request.addHeaders({
          'access-control-allow-methods': allowedMethods,
          'access-control-max-age': preflightMaxAge,
          ...(listOfHeaders.test(wanted) ? { 'access-control-allow-headers': wanted } : {}),
        });
      }
      request.send(204, {});
      return true;
    },
  };
}

const isPreflight = ({ method, headers }: IncomingRequest): boolean =>
  method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
