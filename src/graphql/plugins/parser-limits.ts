import { parse } from 'graphql';
import type { Plugin } from 'graphql-yoga';

/** Tokens of one document: about fifty times those of a query for every field of the schema. */
const maxTokens = 20_000;

/** Limits the cost of parsing a document. The builder's complexity limits bound the cost of executing it. */
export function useParserLimits(): Plugin {
  return {
    onParse: ({ setParseFn }) => setParseFn((source: string) => parse(source, { maxTokens })),
  };
}
