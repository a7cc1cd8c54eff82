/**
 * Cross-origin requests: which pages of other origins may read responses (Fetch standard, "CORS protocol"). It stands ahead
 * of everything that serves requests, so that all responses have the same headers, errors included.
 *
 * Credentials are never allowed: they are cookies and the like, which nothing here accepts. An API key is a header like any
 * other, which a page has to know and the browser asks about in a preflight request.
 */
import type { IncomingRequest } from './incoming-request.ts';

export interface CorsOptions {
  /** The origins whose pages may read responses, as browsers write them: `https://app.example`. */
  readonly origins: readonly string[];
  /** Whether a path is served to pages of other origins at all. */
  readonly covers: (path: string) => boolean;
}

/** @returns whether the request was a preflight request, and has its response */
export type Cors = (request: IncomingRequest) => boolean;

/** All methods of all routes: whether a path has a method is for the router to say. */
const methods = 'GET, HEAD, POST, PATCH, DELETE';

/** What a script may read of a response beside its body: the ids, limits and versions that clients act upon. */
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

/** How long a browser keeps what a preflight said, in seconds. Chromium keeps nothing for longer. */
const maxAge = '7200';

/** Names of headers, with commas between: what a browser asks for comes from a script. */
const headerNames = /^[\w!#$%&'*+.^`|~-]+(?: *, *[\w!#$%&'*+.^`|~-]+)*$/;

export function corsFor({ origins, covers }: CorsOptions): Cors {
  const allowed = new Set(origins);
  return (request) => {
    if (!covers(request.path)) return false;
    const { origin, 'access-control-request-headers': wanted = '' } = request.headers;
    request.varyBy('origin');
    const isAllowed = origin !== undefined && allowed.has(origin);
    if (isAllowed) {
      request.addHeaders({ 'access-control-allow-origin': origin, 'access-control-expose-headers': exposed });
    }
    if (!isPreflight(request)) return false;
    request.route = 'preflight';
    request.varyBy('access-control-request-headers');
    // Headers that mean nothing here do no harm, and clients send some of their own, such as apollographql-client-name.
    if (isAllowed) {
      request.addHeaders({
        'access-control-allow-methods': methods,
        'access-control-max-age': maxAge,
        ...(headerNames.test(wanted) ? { 'access-control-allow-headers': wanted } : {}),
      });
    }
    request.response.writeHead(204).end();
    return true;
  };
}

const isPreflight = ({ method, headers }: IncomingRequest): boolean =>
  method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
