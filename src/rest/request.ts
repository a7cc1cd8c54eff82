/**
 * An HTTP request as the one flat object that an operation takes. The rules beside the shapes': unknown fields of a body
 * are refused, as a misspelt one would silently do nothing; unknown query parameters are left alone, as intermediaries
 * and browsers add some; an id that stands in the path cannot stand in the body too.
 */
import type { FastifyRequest } from 'fastify';
import { type ContractEndpoint, pathParameters, type QueryKind } from '../endpoint.ts';
import { ServiceError } from '../errors.ts';
import { invalidParameters } from '../validation.ts';
import { readJson } from './strict-json.ts';

/** @throws ServiceError `unescaped_characters`, `malformed_request` or `invalid_parameters` */
export function flatRequest(endpoint: ContractEndpoint, request: FastifyRequest): Record<string, unknown> {
  requireEscaped(request.originalUrl);
  const ids = request.params as Record<string, string>;
  return {
    ...readQuery(endpoint.query ?? {}, request.query as Record<string, string | string[]>),
    ...(endpoint.body ? readBody(endpoint, request) : {}),
    ...ids,
  };
}

/** RFC 3986, section 3.3: what may stand in a path as it is, and percent-encoding. */
const pathPattern = /^(?:[\w\-.~!$&'()*+,;=:@/]|%[\da-f]{2})*$/i;

function requireEscaped(url: string): void {
  const path = url.split('?', 1)[0] as string;
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
  query: Readonly<Record<string, string | string[]>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(kinds)
      .filter(([name]) => query[name] !== undefined)
      .map(([name, kind]) => {
        const text = query[name];
        // One that is given twice is a list, which no parameter is: the shape refuses it.
        return [name, typeof text === 'string' ? readers[kind](text) : text];
      }),
  );
}

const readers = {
  text: (text) => text,
  // A cursor is base64: a plus sign that the client did not encode has been read as a space.
  cursor: (text) => text.replaceAll(' ', '+'),
  // What is too large to count with is too large all the same.
  integer: (text) => (/^-?\d+$/.test(text) ? Math.min(Number(text), Number.MAX_SAFE_INTEGER) : text),
  boolean: (text) => booleans.get(text.toLowerCase()) ?? text,
} as const satisfies Record<QueryKind, (text: string) => unknown>;

const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

function readBody(endpoint: ContractEndpoint, { body, headers }: FastifyRequest): object {
  const bytes = body instanceof Uint8Array ? body : new Uint8Array();
  if (bytes.length > 0 && !/^application\/json\s*(?:;|$)/i.test(headers['content-type'] ?? '')) {
    throw new ServiceError('malformed_request', { detail: 'Send the body as application/json.' });
  }
  const value = readJson(bytes);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ServiceError('malformed_request', { detail: 'The body must be a JSON object.' });
  }
  const issues = pathParameters(endpoint)
    .filter((name) => Object.hasOwn(value, name))
    .map((name) => ({ path: [name], message: 'stands in the path and must not stand in the body' }));
  if (issues.length > 0) {
    throw invalidParameters(issues);
  }
  return value;
}
