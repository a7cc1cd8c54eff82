/**
 * Automatic persisted queries: a client sends the SHA-256 of a document, and its text only when asked
 * (https://www.apollographql.com/docs/apollo-server/performance/apq).
 */
import { hash } from 'node:crypto';
import { GraphQLError } from 'graphql';
import { LRUCache } from 'lru-cache';
import { malformedRequest } from '../../kernel/errors.ts';
import { operationLimits } from '../cost/limits.ts';

/** The documents of a few hundred pages. */
export const maxCharacters = 4_194_304;

export type PersistedQueries = ReturnType<typeof createPersistedQueries>;

/** Remembers recently used documents, per process: the protocol makes up for a miss. */
export function createPersistedQueries({ limit = maxCharacters }: { readonly limit?: number } = {}) {
  const documents = new LRUCache<string, string>({ maxSize: limit, sizeCalculation: ({ length }) => length });
  return {
    /** Undefined if the process does not know the hash, or has forgotten it. */
    find: (sha256: string): string | undefined => documents.get(sha256),
    add(sha256: string, text: string): void {
      if (text.length <= operationLimits.characters) documents.set(sha256, text);
    },
  };
}

/** @throws ServiceError `malformed_request` for another hash, or lone surrogates, which hashes cannot tell apart */
export function requireHash(sha256: string, document: string): void {
  if (document.isWellFormed() && hash('sha256', document) === sha256) return;
  throw malformedRequest('sha256Hash is not the SHA-256 of the document, in hex.');
}

/** The hash, or manifest id in its place. @throws ServiceError `malformed_request` for another version than 1 */
export function persistedIdOf(extensions: unknown): string | undefined {
  const persisted = property(extensions, 'persistedQuery');
  if (persisted === undefined || persisted === null) return undefined;
  const id = property(persisted, 'sha256Hash');
  if (property(persisted, 'version') === 1 && typeof id === 'string' && id !== '') return id;
  throw malformedRequest('extensions.persistedQuery must be {"version":1,"sha256Hash":"<SHA-256 in hex>"}.');
}

export const isHash = (id: string): boolean => /^[\da-f]{64}$/.test(id);

function property(value: unknown, name: string): unknown {
  // JSON objects can have any key.
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

/** Asks for the document by message or code, as some clients read no status but 200. */
export function persistedQueryNotFound(requestId: string, isAutomatic: boolean): GraphQLError {
  const http = { status: isAutomatic ? 200 : 404 };
  const extensions = { code: 'PERSISTED_QUERY_NOT_FOUND', requestId, status: 404, http };
  return new GraphQLError('PersistedQueryNotFound', { extensions });
}

/** Ids mean nothing here. */
export function documentsNotSupported(requestId: string): GraphQLError {
  const extensions = { code: 'PERSISTED_QUERY_NOT_SUPPORTED', requestId, status: 400, http: { status: 400 } };
  return new GraphQLError('PersistedQueryNotSupported', { extensions });
}
