/** The documents that clients send: parsed within limits, and remembered with what is known of them. */
import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import { fragmentsOf } from '../cost/selections.ts';
import { requireReasonableShape } from '../cost/shape.ts';
import { type KnowledgeOptions, KnownDocument } from './known-operation.ts';
import { parseWithinLimits } from './parse.ts';

/**
 * What is known of a document. Equal texts give the same object, as long as it is remembered.
 * @throws LimitError for one that is too large, too deep or too expensive to validate; GraphQLError for one that is not GraphQL
 */
export type DocumentOf = (text: string) => KnownDocument;

/** Tokens of all documents that are remembered: those of a few clients, with room for large ones. A token takes up to 1 KB. */
const cachedTokens = 200_000;

export interface RememberOptions {
  /** Documents by their texts that are remembered for good, whatever others come. */
  readonly trusted?: ReadonlyMap<string, DocumentNode>;
  /** Of all others. */
  readonly maxTokens?: number;
}

/** Failures are not kept: they are found again in the time that parsing takes. */
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
    // The size of an entry is read when it is set, and not for an object that is there.
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

/** @throws LimitError and GraphQLError as {@link DocumentOf} */
export function parseDocument(text: string): DocumentNode {
  const document = parseWithinLimits(text);
  requireReasonableShape(document, fragmentsOf(document));
  return document;
}
