/**
 * An HTTP request as the one flat object that an operation takes. Unknown fields of a body are refused (by the shape),
 * as a misspelt one would silently do nothing. Unknown query parameters are ignored, as intermediaries and browsers add
 * some. A path parameter must not be in the body too.
 */
import { parse as parseQuery } from 'node:querystring';
import type { IncomingRequest } from '../http/incoming-request.ts';
import { codingRefusal } from '../http/refusals.ts';
import { mediaTypeOf } from '../http/request-headers.ts';
import type { Parameters } from '../http/router.ts';
import { type ContractEndpoint, pathParameters, type QueryKind } from '../kernel/endpoint.ts';
import { ServiceError } from '../kernel/errors.ts';
import { invalidParameters } from '../kernel/issues.ts';
import { parseStrictJson } from './strict-json.ts';

/**
 * The path parameters, the query parameters that the endpoint has, and the fields of the body.
 * @throws ServiceError `unescaped_characters`, `malformed_request` or `invalid_parameters`
 */
export async function flatRequest(
  endpoint: ContractEndpoint,
  request: IncomingRequest,
  parameters: Parameters,
): Promise<Readonly<Record<string, unknown>>> {
  // Also where it means nothing: what is too large is refused everywhere.
  const bytes = ['GET', 'HEAD'].includes(request.method) ? null : await request.body();
  const [path = '', query = ''] = request.url.split(/\?(.*)/s, 2);
  requireEscaped(path);
  return {
    ...readQuery(endpoint.query ?? {}, query),
    ...(endpoint.body && bytes !== null ? readBody(endpoint, request, bytes) : {}),
    ...parameters,
  };
}

/** RFC 3986, section 3.3: the characters that a path may have as they are, and percent-encoding. */
const pathPattern = /^(?:[\w\-.~!$&'()*+,;=:@/]|%[\da-f]{2})*$/i;

function requireEscaped(path: string): void {
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

function readQuery(kinds: Readonly<Record<string, QueryKind>>, query: string): Record<string, unknown> {
  const inForm = parseQuery(query);
  // A cursor may be base64, whose plus sign many clients do not encode.
  const withPlusSigns = query.includes('+') ? parseQuery(query.replaceAll('+', '%2B')) : inForm;
  return Object.fromEntries(
    Object.entries(kinds).flatMap(([name, kind]) => {
      const text = (kind === 'cursor' ? withPlusSigns : inForm)[name];
      if (text === undefined) return [];
      // A repeated parameter is a list, which no parameter may be: the shape refuses it.
      return [[name, typeof text === 'string' ? readers[kind](text) : text]];
    }),
  );
}

const readers = {
  text: (text) => text,
  cursor: (text) => text,
  // A number beyond those that are exact stays too large, so that the error is about the limit.
  integer: (text) => (/^-?\d+$/.test(text) ? Math.min(Number(text), Number.MAX_SAFE_INTEGER) : text),
  boolean: (text) => booleans.get(text.toLowerCase()) ?? text,
} as const satisfies Record<QueryKind, (text: string) => unknown>;

const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

function readBody(
  endpoint: ContractEndpoint,
  { headers }: Pick<IncomingRequest, 'headers'>,
  bytes: Uint8Array,
): object {
  const refusal = codingRefusal(headers);
  if (refusal !== undefined) throw refusal;
  if (bytes.length > 0 && mediaTypeOf(headers) !== 'application/json') {
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
