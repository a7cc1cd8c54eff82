import type { DocumentNode } from 'graphql';

/**
 * Parsed documents by their text. Yoga's own cache keeps a thousand documents of any size, which can be gigabytes; this
 * one is bounded by the tokens of all. Failures are not kept: they are found again in the time that parsing takes.
 * @param maxTokens of all documents. A token takes up to 1 KB
 */
export function documentCache(
  maxTokens: number,
  parse: (text: string) => DocumentNode,
): (text: string) => DocumentNode {
  const documents = new Map<string, DocumentNode>();
  let tokens = 0;

  const drop = (text: string, document: DocumentNode): void => {
    if (documents.delete(text)) tokens -= weightOf(text, document);
  };
  return (text) => {
    const known = documents.get(text);
    const document = known ?? parse(text);
    if (known !== undefined) drop(text, known);
    documents.set(text, document);
    tokens += weightOf(text, document);
    // A Map iterates in the order of insertion: the first is the one that was not used for the longest time.
    for (const [oldest, old] of documents) {
      if (tokens <= maxTokens) break;
      drop(oldest, old);
    }
    return document;
  };
}

/** Comments and long strings are few tokens, but their text is kept. */
const charactersPerToken = 16;

const weightOf = (text: string, { tokenCount = 1 }: DocumentNode & { readonly tokenCount?: number }): number =>
  Math.max(tokenCount, Math.ceil(text.length / charactersPerToken));
