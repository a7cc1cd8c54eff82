import { apiKeyOf } from '../../auth/admission.ts';
import { type PersistedQueries, requireHash } from '../documents/persisted-queries.ts';
import type { DocumentFinder } from '../documents/requested-document.ts';
import type { Values } from '../documents/variables.ts';
import type { SentParameters, Stage } from '../exchange.ts';
import { badRequest } from '../kit/errors.ts';

export interface FindDocumentOptions {
  readonly findDocument: DocumentFinder;
  readonly persistedQueries: PersistedQueries;
}

/**
 * Puts the document that a request asks for in the place of what names it, and keeps one that comes with its hash.
 * @throws ServiceError or GraphQLError as {@link DocumentFinder}; GraphQLError for parameters that GraphQL over HTTP does not have
 */
export const findDocument =
  ({ findDocument: find, persistedQueries }: FindDocumentOptions): Stage =>
  (exchange) => {
    const { http, sent } = exchange;
    const { text, newHash } = find(sent, http);
    if (text !== null && newHash !== undefined) {
      requireHash(newHash, text);
      // Whoever has no key could make it forget what others need.
      if (apiKeyOf(http)) persistedQueries.add(newHash, text);
    }
    exchange.text = requireText(text, sent);
    requireKnownNames(sent);
    exchange.variables = requireObject('variables', sent.variables) ?? {};
    requireObject('extensions', sent.extensions);
    return null;
  };

const names: ReadonlySet<string> = new Set<keyof SentParameters>([
  'query',
  'documentId',
  'doc_id',
  'operationName',
  'variables',
  'extensions',
]);

function requireKnownNames(sent: SentParameters): void {
  for (const [name, value] of Object.entries(sent)) {
    if (value !== null && !names.has(name)) throw badRequest(`Unexpected parameter "${name}" in the request body.`);
  }
}

const getOrPost = { Allow: 'GET, POST' };

function requireText(text: string | null, { query }: SentParameters): string {
  if (text !== null) return text;
  if (query === undefined || query === null || query === '') {
    throw badRequest('Must provide query string.', { spec: true, headers: getOrPost });
  }
  throw badRequest(`Expected "query" param to be a string, but given ${kindOf(query)}.`, { headers: getOrPost });
}

function requireObject(name: string, value: unknown): Values | null {
  if (value === undefined || value === null) return null;
  if (isObject(value)) return value;
  throw badRequest(`Expected "${name}" param to be empty or an object, but given ${kindOf(value)}.`, {
    headers: getOrPost,
  });
}

const isObject = (value: unknown): value is Values => kindOf(value) === 'object';

const kindOf = (value: unknown): string => (Array.isArray(value) ? 'array' : typeof value);
