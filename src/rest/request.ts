/**
 * An HTTP request as an operation's flat object. Unknown body fields are refused (by the shape), as a misspelt one
 * would silently do nothing; unknown query parameters are ignored, as intermediaries and browsers add some. No path
 * parameter may be in the body too.
 */
import type { IncomingRequest } from '../http/incoming-request.ts';
import { mediaTypeOf, parametersOfUrl, requireNoCoding } from '../http/request-head.ts';
import type { Parameters } from '../http/router.ts';
import { type ContractEndpoint, pathParameters, type QueryKind } from '../kernel/endpoint.ts';
import { malformedRequest, ServiceError } from '../kernel/errors.ts';
import { invalidParameters } from '../kernel/issues.ts';
import { isObject } from '../kernel/lib/objects.ts';
import { parseStrictJson } from './strict-json.ts';

/** @throws ServiceError `unescaped_characters`, `malformed_request` or `invalid_parameters` */
export async function flatRequest(
  endpoint: ContractEndpoint,
  request: IncomingRequest,
  parameters: Parameters,
): Promise<Readonly<Record<string, unknown>>> {
  // Also where it means nothing: bodies beyond the limit are refused everywhere.
  const bytes = ['GET', 'HEAD'].includes(request.method) ? null : await request.body();
  requireEscaped(request.path);
  return {
    ...readQuery(endpoint.query ?? {}, request.url),
    ...(endpoint.body && bytes !== null ? readBody(endpoint, request, bytes) : {}),
    ...parameters,
  };
}

/** RFC 3986, section 3.3: characters of a path, and percent-encoding. */
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

function readQuery(kinds: Readonly<Record<string, QueryKind>>, url: string): Record<string, unknown> {
  const query = parametersOfUrl(url);
  return Object.fromEntries(
    Object.entries(kinds).flatMap(([name, kind]) => {
      // A cursor may be base64, whose plus sign many clients do not encode.
      const [text, ...others] = query(name, kind === 'cursor' ? '+' : ' ');
      if (text === undefined) return [];
      // A repeated parameter is a list, which the shape refuses.
      return [[name, others.length === 0 ? readersOfKinds[kind](text) : [text, ...others]]];
    }),
  );
}

const readersOfKinds = {
  text: (text) => text,
  cursor: (text) => text,
  // Inexact numbers stay too large, so that the error is about the limit.
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
  requireNoCoding(headers);
  if (bytes.length > 0 && mediaTypeOf(headers) !== 'application/json') {
    throw malformedRequest('Send the body as application/json.');
  }
  const value = parseStrictJson(bytes);
  if (!isObject(value)) {
    throw malformedRequest('The body must be a JSON object.');
  }
  const issues = pathParameters(endpoint)
    .filter((name) => Object.hasOwn(value, name))
    .map((name) => ({
      path: [name],
      code: 'conflicting' as const,
      message: 'is a path parameter and must not be in the body',
    }));
  if (issues.length > 0) throw invalidParameters(issues);
  return value;
}
