import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import { fragmentsOf } from '../cost/selections.ts';
import { type KnowledgeOptions, KnownDocument } from './known-operation.ts';
import { parseWithinLimits, requireReasonableShape } from './parse.ts';

export interface DocumentOf {
  /** The same object for equal texts, while remembered. @throws LimitError; GraphQLError for other text */
  (text: string): KnownDocument;
  remembers(text: string): boolean;
}

/** Parsing and validating take about half a microsecond a character. */
export const weightOfText = (text: string): number => text.length / 2;

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
  const documentOf = (text: string) => {
    const found = forGood.get(text) ?? known.get(text);
    if (found !== undefined) return found;
    const document = new KnownDocument(text, parseDocument(text), { ...options, grew });
    known.set(text, document);
    return document;
  };
  return Object.assign(documentOf, { remembers: (text: string) => forGood.has(text) || known.has(text) });
}

export function parseDocument(text: string): DocumentNode {
  const document = parseWithinLimits(text);
  requireReasonableShape(document, fragmentsOf(document));
  return document;
}
