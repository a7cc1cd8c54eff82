import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { issueLimits, shortened } from '../../issues.ts';

/** Of one message. Those of graphql-js have about a hundred, and the names and values that they repeat. */
const maxMessageCharacters = 500;
/** Errors of graphql-js in one response, in bytes of JSON as they are presented. The first is told even if it is larger. */
const maxErrorBytes = 12_288;
/** What presenting adds to an error besides the message, which it repeats as `detail`. */
const envelopeBytes = 200;

/**
 * Shortens what graphql-js says about an invalid request: it repeats names, literals and values of variables in full, and
 * tells up to a hundred errors. Errors of Postern are short already, and stay as they are.
 */
export function useShortErrors(): Plugin {
  return {
    onResultProcess({ result, setResult }) {
      if (Array.isArray(result) || !('errors' in result) || result.errors === undefined) return;
      if (!result.errors.some(isOfGraphQL)) return;
      const errors = result.errors.map((error) => (isOfGraphQL(error) ? shortenedError(error) : error));
      setResult({ ...result, errors: firstErrors(errors) });
    },
  };
}

/** A complaint about the request. What resolvers throw has a cause, what does not fit the schema a path. */
const isOfGraphQL = ({ extensions, originalError, path }: GraphQLError): boolean =>
  extensions?.type === undefined && originalError === undefined && path === undefined;

function shortenedError(error: GraphQLError): GraphQLError {
  const { nodes, source, positions, path, originalError, extensions } = error;
  const message = shortenedMessage(error.message);
  if (message === error.message) return error;
  return new GraphQLError(message, { nodes, source, positions, path, originalError, extensions });
}

/** Quoted texts and long words are cut first, so that the reason behind them can still be read. */
export function shortenedMessage(message: string): string {
  const { echoedCharacters } = issueLimits;
  const unquoted = message.replaceAll(/"(?:[^"\\]|\\.)*"/gs, (quoted) =>
    quoted.length <= echoedCharacters ? quoted : `${shortened(quoted, echoedCharacters - 1)}"`,
  );
  const words = unquoted.replaceAll(/\S{101,}/g, (word) => shortened(word));
  return shortened(words, maxMessageCharacters);
}

function firstErrors(errors: readonly GraphQLError[]): GraphQLError[] {
  let left = maxErrorBytes;
  const end = errors.findIndex((error, index) => {
    left -= 2 * Buffer.byteLength(JSON.stringify(error)) + envelopeBytes;
    return (left < 0 && index > 0) || index === issueLimits.count;
  });
  if (end === -1) return [...errors];
  return [...errors.slice(0, end), new GraphQLError(`There are ${errors.length - end} more errors.`)];
}
