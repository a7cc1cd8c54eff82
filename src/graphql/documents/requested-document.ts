/**
 * Which document a request asks for: by its text, by its hash (automatic persisted queries), or by an id of the manifest of
 * trusted documents; and whether it may be executed.
 */
import { ServiceError } from '../../kernel/errors.ts';
import { withoutPrefix } from './document-manifest.ts';
import {
  documentsNotSupported,
  isHash,
  type PersistedQueries,
  persistedIdOf,
  persistedQueryNotFound,
} from './persisted-queries.ts';
import type { TrustedDocuments } from './trusted-documents.ts';

/** The parameters of a request that say what its document is, as they were sent. */
export interface SentDocument {
  readonly query?: unknown;
  /** GraphQL over HTTP, appendix A: what urql sends, and clients of the client preset. */
  readonly documentId?: unknown;
  /** Relay's name of the same. */
  readonly doc_id?: unknown;
  readonly extensions?: unknown;
}

export interface RequestedDocument {
  /** Null for a request without a document, or with one that is no text: the executor says what is wrong with it. */
  readonly text: string | null;
  /** Whether it is of the manifest. */
  readonly isTrusted: boolean;
  /** The hash with which the text came, if it is not known by it: whether it is its own remains to be seen. */
  readonly newHash?: string;
}

/** What decides which documents are executed, besides the request's own parameters. */
export interface DocumentRequest {
  /** The id of the request. */
  readonly id: string;
  /** Is told whether the document is trusted. */
  readonly facts: { trusted?: boolean };
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/**
 * @throws ServiceError `malformed_request` for parameters that contradict each other, `resource_access_restricted` for a
 *   document that is not of the manifest; GraphQLError for an id that is not known
 */
export type DocumentFinder = (sent: SentDocument, request: DocumentRequest) => RequestedDocument;

export interface DocumentFinderOptions {
  readonly persistedQueries: PersistedQueries;
  /** Null where there is no manifest. */
  readonly trusted: TrustedDocuments | null;
  /** Whether a request may have any document, though none but those of the manifest are executed. */
  readonly isExempt?: (request: DocumentRequest) => boolean;
}

export function documentFinder({
  persistedQueries,
  trusted,
  isExempt = () => false,
}: DocumentFinderOptions): DocumentFinder {
  /** The document that a request names, and may send as well. */
  function trustedText(named: DocumentName | null, query: unknown): string | undefined {
    const known = named === null ? undefined : trusted?.find(named.id);
    if (known === undefined || query === null || query === known) return known;
    throw malformed('The document is not the one with this id.');
  }

  /** The document with a hash that somebody sent before. */
  function rememberedText({ id, isAutomatic }: DocumentName, isOnly: boolean, requestId: string): string {
    const text = isOnly ? undefined : persistedQueries.find(id);
    if (text !== undefined) return text;
    if (trusted === null && !isHash(id)) throw documentsNotSupported(requestId);
    throw persistedQueryNotFound(requestId, { isAutomatic, isOnly });
  }

  const isOnlyFor = (request: DocumentRequest): boolean => trusted?.isOnly === true && !isExempt(request);

  const find: DocumentFinder = (sent, request) => {
    const query = sent.query === '' ? null : (sent.query ?? null);
    const named = nameOf(sent, trusted !== null);
    const known = trustedText(named, query);
    if (known !== undefined) return { text: known, isTrusted: true };
    const isOnly = isOnlyFor(request);
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

/** What a request calls its document. */
interface DocumentName {
  /** An id of the manifest, or a SHA-256 in hex; without a prefix. */
  readonly id: string;
  /** Whether its client follows the protocol of automatic persisted queries, and sends the text if it is asked to. */
  readonly isAutomatic: boolean;
}

/** @throws ServiceError `malformed_request` for what is no id, or for several */
function nameOf({ documentId, doc_id: relayId, extensions }: SentDocument, hasManifest: boolean): DocumentName | null {
  const automatic = isGiven(extensions) ? persistedIdOf(extensions) : undefined;
  if (automatic !== undefined && !hasManifest && !isHash(withoutPrefix(automatic))) throw malformed(hashDetail);
  const ids = new Set([documentId, relayId, automatic].filter(isGiven).map(idIn));
  const [id] = ids;
  if (ids.size > 1) throw malformed('The request names more than one document.');
  return id === undefined ? null : { id, isAutomatic: automatic !== undefined };
}

const hashDetail = 'extensions.persistedQuery.sha256Hash must be a SHA-256 in hex.';

const isGiven = (id: unknown): boolean => id !== undefined && id !== null && id !== '';

function idIn(id: unknown): string {
  if (typeof id === 'string') return withoutPrefix(id);
  throw malformed('documentId and doc_id must be texts.');
}

const malformed = (detail: string) => new ServiceError('malformed_request', { detail });

const notTrusted = () =>
  new ServiceError('resource_access_restricted', {
    detail: 'This gateway executes only the documents of its manifest (DOCUMENTS_MODE=only).',
  });
