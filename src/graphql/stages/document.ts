/** Gates of a document. */
import { GraphQLError } from 'graphql';
import { apiKeyOf } from '../../auth/admission.ts';
import { shortened, shortList } from '../../kernel/issues.ts';
import { isObject } from '../../kernel/lib/is-object.ts';
import { type DocumentOf, weightOfText } from '../documents/documents.ts';
import type { KnownDocument } from '../documents/known-operation.ts';
import { type PersistedQueries, requireHash } from '../documents/persisted-queries.ts';
import type { DocumentFinder } from '../documents/requested-document.ts';
import type { Values } from '../documents/variables.ts';
import type { Exchange, SentParameters, Stage } from '../exchange.ts';
import { badRequest } from '../kit/errors.ts';

export interface FindDocumentOptions {
  readonly findDocument: DocumentFinder;
  readonly persistedQueries: PersistedQueries;
}

/**
 * Resolves an id or a hash to its document, and keeps one that comes with its hash.
 * @throws as {@link DocumentFinder}; GraphQLError for parameters outside of GraphQL over HTTP
 */
export const findDocument =
  ({ findDocument: find, persistedQueries }: FindDocumentOptions): Stage =>
  (exchange) => {
    const { http, sent } = exchange;
    const { text, newHash } = find(sent, http);
    if (text !== null && newHash !== undefined) {
      requireHash(newHash, text);
      // Without a key, anybody could make it forget what others need.
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
  for (const name in sent) {
    if (!names.has(name) && Reflect.get(sent, name) !== null)
      throw badRequest(`Unexpected parameter "${name}" in the request body.`);
  }
}

const getOrPost = { Allow: 'GET, POST' };

function requireText(text: string | null, { query }: SentParameters): string {
  if (text !== null) return text;
  if (query === undefined || query === null || query === '') {
    throw badRequest('Must provide query string.', { spec: true, headers: getOrPost });
  }
  throw badRequest(`Expected "query" param to be a string, but given ${jsonTypeOf(query)}.`, { headers: getOrPost });
}

function requireObject(name: string, value: unknown): Values | null {
  if (value === undefined || value === null) return null;
  if (isObject(value)) return value;
  throw badRequest(`Expected "${name}" param to be empty or an object, but given ${jsonTypeOf(value)}.`, {
    headers: getOrPost,
  });
}

const jsonTypeOf = (value: unknown): string => (Array.isArray(value) ? 'array' : typeof value);

export interface KnowOperationOptions {
  readonly documentOf: DocumentOf;
}

/**
 * Parses the document and chooses the operation, for the log and telemetry too. A new document waits for its turn.
 * @throws LimitError for a document too large or too slow to validate; GraphQLError for any other refusal
 */
export const knowOperation =
  ({ documentOf }: KnowOperationOptions): Stage =>
  (exchange) => {
    const { text } = exchange;
    const turn = documentOf.remembers(text) ? null : exchange.turnBefore(weightOfText(text));
    return turn === null ? know(exchange, documentOf) : turn.then(() => know(exchange, documentOf));
  };

function know(exchange: Exchange, documentOf: DocumentOf): null {
  const { http, sent, text } = exchange;
  const document = parsed(documentOf, text);
  const name = sent.operationName ?? null;
  const operation = name === null || typeof name === 'string' ? document.find(name) : undefined;
  if (operation === undefined) throw badRequest(noOperation(document.operationNames, name));
  exchange.operation = operation;
  Object.assign(http.facts, operation.facts);
  if (document.schemaError !== null) throw document.schemaError;
  if (operation.isMutation && http.method === 'GET') {
    const allowed = { status: 405, headers: { Allow: 'POST' } };
    throw badRequest('Can only perform a mutation operation from a POST request.', allowed);
  }
  return null;
}

function noOperation(names: readonly string[], wanted: unknown): string {
  if (names.length === 0) return 'The document has no operation.';
  const existing = `The document has ${shortList(names)}.`;
  if (typeof wanted !== 'string') return `operationName must be the name of an operation. ${existing}`;
  return `No operation has the name ${shortened(wanted)}. ${existing}`;
}

function parsed(documentOf: DocumentOf, text: string): KnownDocument {
  try {
    return documentOf(text);
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    const { message, source, positions } = error;
    // Only a syntax error has no valid document.
    const extensions = { code: 'GRAPHQL_PARSE_FAILED' };
    throw new GraphQLError(message, { source, positions, extensions });
  }
}
