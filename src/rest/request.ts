/**
 * An HTTP request as the one flat object that an operation takes. Unknown fields of a body are refused (by the shape),
 * as a misspelt one would silently do nothing. Unknown query parameters are ignored, as intermediaries and browsers add
 * some. A path parameter must not be in the body too.
 */
import type { FastifyRequest } from 'fastify';
import { type ContractEndpoint, pathParameters, type QueryKind } from '../endpoint.ts';
import { ServiceError } from '../errors.ts';
import { codingRefusal } from '../http/server.ts';
import { invalidParameters } from '../issues.ts';
import { parseStrictJson } from './strict-json.ts';

/** What Fastify's router reads from the URL of a request. A query parameter that is repeated is a list. */
export interface RestRoute {
  Params: Readonly<Record<string, string>>;
  Querystring: Readonly<Record<string, string | string[]>>;
}

/**
 * The path parameters, the query parameters that the endpoint has, and the fields of the body.
 * @throws ServiceError `unescaped_characters`, `malformed_request` or `invalid_parameters`
 */
export function flatRequest(
  endpoint: ContractEndpoint,
  request: FastifyRequest<RestRoute>,
): Readonly<Record<string, unknown>> {
  requireEscaped(request.originalUrl);
  return {
    ...readQuery(endpoint.query ?? {}, request),
    ...(endpoint.body ? readBody(endpoint, request) : {}),
    ...request.params,
  };
}

/** RFC 3986, section 3.3: the characters that a path may have as they are, and percent-encoding. */
const pathPattern = /^(?:[\w\-.~!$&'()*+,;=:@/]|%[\da-f]{2})*$/i;

function requireEscaped(url: string): void {
  const [path = ''] = url.split('?', 1);
  if (!pathPattern.test(path)) {
    throw new ServiceError('unescaped_characters', {
      detail: 'The path has characters that must be percent-encoded, or a percent sign that encodes nothing.',
    });
  }
  try {
    decodeURIComponent(path);
  } catch {
    throw new ServiceError('unescaped_characters', { detail: 'The percent-encoding of the path is not UTF-8.' });
  }
}

function readQuery(
  kinds: Readonly<Record<string, QueryKind>>,
  { query, originalUrl }: Pick<FastifyRequest<RestRoute>, 'query' | 'originalUrl'>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(kinds).flatMap(([name, kind]) => {
      const text = query[name];
      if (text === undefined) return [];
      // A repeated parameter is a list, which no parameter may be: the shape refuses it.
      return [[name, typeof text === 'string' ? readers[kind](text, originalUrl, name) : text]];
    }),
  );
}

const readers = {
  text: (text) => text,
  // A cursor may be base64, whose plus sign many clients do not encode: it has been read as a space, as in a form.
  cursor: (text, url, name) => (text.includes(' ') ? withPlusSigns(url, name) : text),
  // A number beyond those that are exact stays too large, so that the error is about the limit.
  integer: (text) => (/^-?\d+$/.test(text) ? Math.min(Number(text), Number.MAX_SAFE_INTEGER) : text),
  boolean: (text) => booleans.get(text.toLowerCase()) ?? text,
} as const satisfies Record<QueryKind, (text: string, url: string, name: string) => unknown>;

/** A query parameter whose plus signs are no spaces. */
function withPlusSigns(url: string, name: string): string | null {
  const query = url.slice(url.indexOf('?') + 1).replaceAll('+', '%2B');
  return new URLSearchParams(query).get(name);
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

function readBody(endpoint: ContractEndpoint, request: Pick<FastifyRequest, 'body' | 'headers'>): object {
  const { body, headers } = request;
  const refusal = codingRefusal(request);
  if (refusal !== undefined) throw refusal;
  const bytes = body instanceof Uint8Array ? body : new Uint8Array();
  if (bytes.length > 0 && !/^application\/json\s*(?:;|$)/i.test(headers['content-type'] ?? '')) {
    throw new ServiceError('malformed_request', { detail: 'Send the body as application/json.' });
  }
  const value = parseStrictJson(bytes);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ServiceError('malformed_request', { detail: 'The body must be a JSON object.' });
  }
  const issues = pathParameters(endpoint)
    .filter((name) => Object.hasOwn(value, name))
    .map((name) => ({ path: [name], message: 'is a path parameter and must not be in the body' }));
  if (issues.length > 0) throw invalidParameters(issues);
  return value;
}
