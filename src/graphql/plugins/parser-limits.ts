import { parse } from 'graphql';
import type { Plugin } from 'graphql-yoga';

/** Tokens of one document: about fifty times those of a query for every field of the schema. */
const maxTokens = 20_000;

/** Bounds what parsing a document may cost. What executing it may cost is bounded by the builder's complexity limits. */
export function useParserLimits(): Plugin {
  return {
    onParse: ({ setParseFn }) => setParseFn((source: string) => parse(source, { maxTokens })),
  };
}
