import type { Plugin } from 'graphql-yoga';
import { type Admission, apiKeyOf } from '../../auth/admission.ts';
import { type Incoming, requireCounted } from '../graphql-context.ts';
import { type PersistedQueries, requireHash } from '../persisted-queries.ts';
import type { DocumentFinder, SentDocument } from '../requested-document.ts';

export interface RequestedDocumentOptions extends Pick<Admission, 'admitKeyless'> {
  readonly findDocument: DocumentFinder;
  readonly persistedQueries: PersistedQueries;
}

/** Puts the document that a request asks for in the place of what names it, and keeps those that come with their hash. */
export function useRequestedDocuments({
  persistedQueries,
  findDocument,
  admitKeyless,
}: RequestedDocumentOptions): Plugin<object, Incoming> {
  return {
    async onParams({ params, setParams, context }) {
      // Whatever becomes of a request, it is counted first (see operation-limits.ts).
      await requireCounted(context, { admitKeyless });
      const { http } = context;
      // Of the ids Yoga knows nothing. It would refuse them.
      const { documentId, doc_id, ...others }: typeof params & SentDocument = params;
      const { query, extensions } = others;
      const { text, newHash } = findDocument({ query, documentId, doc_id, extensions }, http);
      if (text !== null && newHash !== undefined) {
        requireHash(newHash, text);
        // Whoever has no key could make it forget what others need.
        if (apiKeyOf(http)) persistedQueries.add(newHash, text);
      }
      // What is no text is refused by Yoga.
      setParams(text === null ? others : { ...others, query: text });
    },
  };
}
