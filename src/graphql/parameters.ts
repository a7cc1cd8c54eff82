/** The parameters of a GraphQL request, as they were sent. */
import { GraphQLError } from 'graphql';
import type { IncomingRequest } from '../http/incoming-request.ts';
import { hasFewEntries, isShallow } from '../json-limits.ts';
import type { Values } from './compiled/arguments.ts';
import { Fallback } from './fallback.ts';
import type { DocumentFinder, RequestedDocument, SentDocument } from './requested-document.ts';

export interface Parameters {
  readonly query: string;
  readonly operationName: string | null;
  readonly variables: Values;
}

/** @throws Fallback for parameters that the executor may refuse; ServiceError for a body that cannot be read */
export async function readParameters(request: IncomingRequest, find: DocumentFinder): Promise<Parameters> {
  const sent = request.raw.method === 'GET' ? parametersIn(request.raw.url) : await request.json();
  return parametersOf(sent, (document) => findOrLeave(() => find(document, request)));
}

/** An unknown document is left to the executor, which says so when the request has been counted. */
function findOrLeave(find: () => RequestedDocument): RequestedDocument {
  try {
    return find();
  } catch (error) {
    throw error instanceof GraphQLError ? new Fallback('parameters') : error;
  }
}

/** The parameters in the query of a URL, which are texts, or JSON. An empty one is not there. */
function parametersIn(url = ''): object {
  const search = new URLSearchParams(url.slice(url.indexOf('?') + 1));
  const json = (name: string): unknown => {
    try {
      return JSON.parse(search.get(name) || 'null');
    } catch {
      throw new Fallback('parameters');
    }
  };
  return {
    query: search.get('query'),
    ...documentIdsIn(search),
    operationName: search.get('operationName') || null,
    variables: json('variables'),
    extensions: json('extensions'),
  };
}

/** The ids of a document in the query of a URL, which Yoga does not read. */
export const documentIdsIn = (search: URLSearchParams): Pick<SentDocument, 'documentId' | 'doc_id'> => ({
  documentId: search.get('documentId'),
  doc_id: search.get('doc_id'),
});

function parametersOf(request: unknown, find: (sent: SentDocument) => RequestedDocument): Parameters {
  if (!isObject(request)) throw new Fallback('no request');
  // Clients tell of themselves in the extensions, as Apollo's does. None but a persisted query means anything here.
  const {
    query: sent,
    documentId,
    doc_id,
    operationName = null,
    variables = null,
    extensions = null,
    ...rest
  } = request;
  const { text: query, newHash } = find({ query: sent, documentId, doc_id, extensions });
  if (query === null || newHash !== undefined) throw new Fallback('parameters');
  if (operationName !== null && typeof operationName !== 'string') throw new Fallback('parameters');
  if (variables !== null && !isObject(variables)) throw new Fallback('parameters');
  if (extensions !== null && !isObject(extensions)) throw new Fallback('parameters');
  if (Object.keys(rest).length > 0 || !hasFewEntries(request) || !isShallow(request)) throw new Fallback('parameters');
  return { query, operationName, variables: variables ?? {} };
}

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
