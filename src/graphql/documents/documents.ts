import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import { fragmentsOf } from '../cost/selections.ts';
import { type KnowledgeOptions, KnownDocument } from './known-operation.ts';
import { parseWithinLimits, requireReasonableShape } from './parse.ts';

/** The same object for equal texts, while remembered. @throws LimitError; GraphQLError for other text */
export type DocumentOf = (text: string) => KnownDocument;

/** Of all remembered documents: a few clients', with capacity for large ones. A token takes up to 1 KB. */
const cachedTokens = 200_000;

export interface RememberOptions {
  readonly trusted?: ReadonlyMap<string, DocumentNode>;
  readonly maxTokens?: number;
}

/** Failures are not kept: finding them again takes no longer than parsing. */
export function rememberedDocuments(
  options: KnowledgeOptions,
  { trusted = new Map(), maxTokens = cachedTokens }: RememberOptions = {},
): DocumentOf {
  const forGood = new Map(
    [...trusted].map(([text, document]) => [
      text,
      new KnownDocument(text, document, { ...options, grew: () => undefined }),
    ]),
  );
  const known = new LRUCache<string, KnownDocument>({ maxSize: maxTokens, sizeCalculation: ({ weight }) => weight });
  const grew = (document: KnownDocument): void => {
    // The cache reads the size of new entries only.
    if (known.delete(document.text)) known.set(document.text, document);
  };
  return (text) => {
    const found = forGood.get(text) ?? known.get(text);
    if (found !== undefined) return found;
    const document = new KnownDocument(text, parseDocument(text), { ...options, grew });
    known.set(text, document);
    return document;
  };
}

export function parseDocument(text: string): DocumentNode {
  const document = parseWithinLimits(text);
  requireReasonableShape(document, fragmentsOf(document));
  return document;
}
