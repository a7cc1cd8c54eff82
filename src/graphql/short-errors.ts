import { GraphQLError } from 'graphql';
import { issueLimits, shortened } from '../kernel/issues.ts';

/** Of one message. Those of graphql-js have about a hundred, and the names and values that they repeat. */
const maxMessageCharacters = 500;
/** Errors of graphql-js in one response, in bytes of JSON as they are presented. The first is told even if it is larger. */
const maxErrorBytes = 12_288;
/** What presenting adds to an error besides the message, which it repeats as `detail`. */
const envelopeBytes = 200;

/**
 * What graphql-js says about an invalid request, shortened: it repeats names, literals and values of variables in full, and tells
 * up to a hundred errors. Errors of Postern are short already, and stay as they are.
 * @returns the first complaints of graphql-js, and how many more there are
 */
export function shortErrors(errors: readonly GraphQLError[]): GraphQLError[] {
  let left = maxErrorBytes;
  let told = 0;
  let untold = 0;
  const kept = errors.flatMap((error) => {
    if (!isOfGraphQL(error)) return error;
    const short = shortenedError(error);
    left -= 2 * Buffer.byteLength(JSON.stringify(short)) + envelopeBytes;
    if ((left < 0 && told > 0) || told === issueLimits.count) {
      untold += 1;
      return [];
    }
    told += 1;
    return short;
  });
  if (untold === 0) return kept;
  return [...kept, new GraphQLError(untold === 1 ? 'There is 1 more error.' : `There are ${untold} more errors.`)];
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
