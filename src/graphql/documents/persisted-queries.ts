/**
 * Automatic persisted queries: a client sends the SHA-256 of a document, and the document itself only when it is told that
 * nobody knows the hash (https://www.apollographql.com/docs/apollo-server/performance/apq).
 */
import { hash } from 'node:crypto';
import { GraphQLError } from 'graphql';
import { LRUCache } from 'lru-cache';
import { ServiceError, toEnvelope } from '../../kernel/errors.ts';
import { operationLimits } from '../cost/limits.ts';

export interface PersistedQueries {
  /** The document with a hash; undefined for one that this process does not know, or not any more. */
  find(sha256: string): string | undefined;
  /** Keeps a document with this hash, if it is small enough to be executed. */
  add(sha256: string, document: string): void;
}

/** What the documents of a few hundred pages need. */
const maxCharacters = 4_194_304;

/** Keeps the documents that were used last, in the memory of the process: a client sends to each process what it has to know. */
export function createPersistedQueries({ limit = maxCharacters }: { readonly limit?: number } = {}): PersistedQueries {
  const documents = new LRUCache<string, string>({ maxSize: limit, sizeCalculation: ({ length }) => length });
  return {
    find: (sha256) => documents.get(sha256),
    add(sha256, text) {
      if (!isTooLong(text)) documents.set(sha256, text);
    },
  };
}

/** Whether a document would be refused. */
const isTooLong = (document: string): boolean => document.length > operationLimits.characters;

const hasHash = (sha256: string, document: string): boolean =>
  document.isWellFormed() && hash('sha256', document) === sha256;

/** @throws ServiceError `malformed_request` for a document that has another hash, or is no Unicode, which hashes cannot tell apart */
export function requireHash(sha256: string, document: string): void {
  if (hasHash(sha256, document)) return;
  throw new ServiceError('malformed_request', { detail: 'sha256Hash is not the SHA-256 of the document, in hex.' });
}

/**
 * The hash in the extensions of a request, or the id that a client has from its manifest in place of one; undefined if there
 * is none.
 * @throws ServiceError `malformed_request` for one that is not of version 1
 */
export function persistedIdOf(extensions: unknown): string | undefined {
  const persisted = property(extensions, 'persistedQuery');
  if (persisted === undefined || persisted === null) return undefined;
  const id = property(persisted, 'sha256Hash');
  if (property(persisted, 'version') === 1 && typeof id === 'string' && id !== '') return id;
  throw new ServiceError('malformed_request', {
    detail: 'extensions.persistedQuery must be {"version":1,"sha256Hash":"<SHA-256 in hex>"}.',
  });
}

/** Whether an id is a SHA-256 in hex. */
export const isHash = (id: string): boolean => /^[\da-f]{64}$/.test(id);

function property(value: unknown, name: string): unknown {
  // An index signature says what any object of JSON may have.
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

/**
 * A document that is not known. Asks the client to send it, which clients know by the message or the code; some read no
 * other status than 200. A client that has an id and no text reads the status as any other.
 */
export function persistedQueryNotFound(
  requestId: string,
  { isAutomatic, isOnly }: { readonly isAutomatic: boolean; readonly isOnly: boolean },
): GraphQLError {
  const detail = isOnly ? 'The manifest has no document with this id.' : 'Send the document with its hash.';
  const status = isAutomatic ? 200 : 404;
  return refusal('PersistedQueryNotFound', 'PERSISTED_QUERY_NOT_FOUND', requestId, {
    failure: new ServiceError('resource_not_found', { detail }),
    status,
  });
}

/** Tells a client that ids mean nothing here. */
export const documentsNotSupported = (requestId: string): GraphQLError =>
  refusal('PersistedQueryNotSupported', 'PERSISTED_QUERY_NOT_SUPPORTED', requestId, {
    failure: new ServiceError('malformed_request', {
      detail: 'This gateway has no manifest of documents (DOCUMENTS).',
    }),
    status: 400,
  });

const refusal = (
  message: string,
  code: string,
  requestId: string,
  { failure, status }: { readonly failure: ServiceError; readonly status: number },
): GraphQLError =>
  new GraphQLError(message, { extensions: { ...toEnvelope(failure, requestId), code, http: { status } } });
