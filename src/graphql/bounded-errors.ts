/** Bounds of the errors in a response and in the log. */
import { GraphQLError } from 'graphql';
import type { IncomingRequest } from '../http/incoming-request.ts';
import { logFailure } from '../http/send.ts';
import type { ServiceError } from '../kernel/errors.ts';
import { issueLimits, shortened } from '../kernel/issues.ts';

/** graphql-js' own messages have about a hundred, and the names and values that they repeat. */
const maxMessageCharacters = 500;
/** Of all errors of graphql-js in a response. The first is told even if it is larger. */
const maxErrorBytes = 12_288;
/** Added to each error, besides the message, which `detail` repeats. */
const envelopeBytes = 200;

/** Shortens errors of graphql-js, which repeat names, literals and values in full, and counts those beyond the first. */
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

/** Resolvers' errors have a cause, those of values outside of the schema a path. */
const isOfGraphQL = ({ extensions, originalError, path }: GraphQLError): boolean =>
  extensions?.type === undefined && originalError === undefined && path === undefined;

function shortenedError(error: GraphQLError): GraphQLError {
  const { nodes, source, positions, path, originalError, extensions } = error;
  const message = shortenedMessage(error.message);
  if (message === error.message) return error;
  return new GraphQLError(message, { nodes, source, positions, path, originalError, extensions });
}

/** Quoted texts and long words first, so that the reason behind them can still be read. */
export function shortenedMessage(message: string): string {
  const { echoedCharacters } = issueLimits;
  const unquoted = message.replaceAll(/"(?:[^"\\]|\\.)*"/gs, (quoted) =>
    quoted.length <= echoedCharacters ? quoted : `${shortened(quoted, echoedCharacters - 1)}"`,
  );
  const words = unquoted.replaceAll(/\S{101,}/g, (word) => shortened(word));
  return shortened(words, maxMessageCharacters);
}

export class FailureLog {
  readonly #kinds = new Map<string, { readonly failure: ServiceError; count: number }>();

  note(failure: ServiceError): void {
    const { type, detail, cause } = failure;
    const kind = `${type} ${cause instanceof Error ? cause.message : detail}`;
    const known = this.#kinds.get(kind);
    if (known === undefined) this.#kinds.set(kind, { failure, count: 1 });
    else known.count += 1;
  }

  /** @param untold errors that nobody looked at */
  write(http: Pick<IncomingRequest, 'log' | 'clientAborted'>, untold: number): void {
    for (const { failure, count } of this.#kinds.values()) logFailure(failure, http, count === 1 ? {} : { count });
    if (untold > 0) http.log.info({ count: untold }, 'more errors in the response');
  }
}
