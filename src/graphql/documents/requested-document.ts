/** Finds a document by text, hash (automatic persisted queries) or manifest id, and decides whether it may run. */
import { malformedRequest, ServiceError } from '../../kernel/errors.ts';
import { plainId } from './document-manifest.ts';
import {
  documentsNotSupported,
  isHash,
  type PersistedQueries,
  persistedIdOf,
  persistedQueryNotFound,
} from './persisted-queries.ts';
import type { TrustedDocuments } from './trusted-documents.ts';

export interface SentDocument {
  readonly query?: unknown;
  /** GraphQL over HTTP, appendix A: urql sends it, and clients of the client preset. */
  readonly documentId?: unknown;
  /** Relay's name for it. */
  readonly doc_id?: unknown;
  readonly extensions?: unknown;
}

interface RequestedDocument {
  /** Null if missing or no text: the stage `findDocument` refuses it. */
  readonly text: string | null;
  readonly isTrusted: boolean;
  /** The unverified hash that came with the text. */
  readonly newHash?: string;
}

interface DocumentRequest {
  readonly id: string;
  readonly facts: { trusted?: boolean };
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** @throws ServiceError `malformed_request`, or `resource_access_restricted` outside of the manifest; GraphQLError */
export type DocumentFinder = (sent: SentDocument, request: DocumentRequest) => RequestedDocument;

interface DocumentFinderOptions {
  readonly persistedQueries: PersistedQueries;
  readonly trusted: TrustedDocuments | null;
  /** Whether a request may use any document despite `only`. */
  readonly isExempt?: (request: DocumentRequest) => boolean;
}

export function documentFinder({
  persistedQueries,
  trusted,
  isExempt = () => false,
}: DocumentFinderOptions): DocumentFinder {
  function trustedText(named: DocumentName | null, query: unknown): string | undefined {
    const known = named === null ? undefined : trusted?.find(named.id);
    if (known === undefined || query === null || query === known) return known;
    throw malformedRequest('The document is not the one with this id.');
  }

  function rememberedText({ id, isAutomatic }: DocumentName, isOnly: boolean, requestId: string): string {
    const text = isOnly ? undefined : persistedQueries.find(id);
    if (text !== undefined) return text;
    if (trusted === null && !isHash(id)) throw documentsNotSupported(requestId);
    throw persistedQueryNotFound(requestId, isAutomatic);
  }

  const find: DocumentFinder = (sent, request) => {
    const query = sent.query === '' ? null : (sent.query ?? null);
    const named = documentName(sent, trusted !== null);
    const known = trustedText(named, query);
    if (known !== undefined) return { text: known, isTrusted: true };
    const isOnly = trusted?.isOnly === true && !isExempt(request);
    if (query === null && named !== null) {
      return { text: rememberedText(named, isOnly, request.id), isTrusted: false };
    }
    if (typeof query !== 'string') return { text: null, isTrusted: false };
    const isTrusted = trusted?.parsed.has(query) === true;
    if (isOnly && !isTrusted) throw notTrusted();
    const isNew = named !== null && isHash(named.id) && persistedQueries.find(named.id) !== query;
    return { text: query, isTrusted, ...(isNew ? { newHash: named.id } : {}) };
  };
  return (sent, request) => {
    const found = find(sent, request);
    if (trusted !== null && found.text !== null) request.facts.trusted = found.isTrusted;
    return found;
  };
}

interface DocumentName {
  readonly id: string;
  /** Whether the client follows the protocol of automatic persisted queries, and so can send the text. */
  readonly isAutomatic: boolean;
}

/** @throws ServiceError `malformed_request` for an invalid id, or several */
function documentName(
  { documentId, doc_id: relayId, extensions }: SentDocument,
  hasManifest: boolean,
): DocumentName | null {
  if (![documentId, relayId, extensions].some(isGiven)) return null;
  const automatic = isGiven(extensions) ? persistedIdOf(extensions) : undefined;
  if (automatic !== undefined && !hasManifest && !isHash(plainId(automatic))) throw malformedRequest(hashDetail);
  const ids = new Set([documentId, relayId, automatic].filter(isGiven).map(documentIdIn));
  const [id] = ids;
  if (ids.size > 1) throw malformedRequest('The request names more than one document.');
  return id === undefined ? null : { id, isAutomatic: automatic !== undefined };
}

const hashDetail = 'extensions.persistedQuery.sha256Hash must be a SHA-256 in hex.';

const isGiven = (id: unknown): boolean => id !== undefined && id !== null && id !== '';

function documentIdIn(id: unknown): string {
  if (typeof id === 'string') return plainId(id);
  throw malformedRequest('documentId and doc_id must be texts.');
}

const notTrusted = () =>
  new ServiceError('resource_access_restricted', {
    detail: 'This gateway executes only the documents of its manifest (DOCUMENTS_MODE=only).',
  });
