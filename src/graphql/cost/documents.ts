/** The documents that clients send: parsed within limits, and remembered. */
import type { DocumentNode } from 'graphql';
import { parseWithinLimits } from './document.ts';
import { documentCache } from './document-cache.ts';
import { fragmentsOf } from './selections.ts';
import { requireReasonableShape } from './shape.ts';

/**
 * The document of a text. Equal texts give the same object, as long as it is remembered.
 * @throws LimitError for one that is too large, too deep or too expensive to validate; GraphQLError for one that is not GraphQL
 */
export type DocumentOf = (text: string) => DocumentNode;

/** Documents of a few clients, with room for those that are large. */
const cachedTokens = 200_000;

/** @param trusted documents that are remembered for good, whatever others come */
export function rememberedDocuments(trusted: ReadonlyMap<string, DocumentNode> = new Map()): DocumentOf {
  const remembered = documentCache(cachedTokens, parseDocument);
  return (text) => trusted.get(text) ?? remembered(text);
}

/** @throws LimitError and GraphQLError as {@link DocumentOf} */
export function parseDocument(text: string): DocumentNode {
  const document = parseWithinLimits(text);
  requireReasonableShape(document, fragmentsOf(document));
  return document;
}
