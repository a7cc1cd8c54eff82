import type { FastifyRequest } from 'fastify';
import { type ExecutionResult, GraphQLError, getOperationAST, Kind } from 'graphql';
import { mapAsyncIterator, type Plugin } from 'graphql-yoga';
import { type ErrorName, fromUnknown, ServiceError, unexpectedError } from '../../errors.ts';
import { logFailure } from '../../http/server.ts';
import { toGraphQLError } from '../errors.ts';
import type { Incoming } from '../graphql-context.ts';
import { requireSendable, withRoomFor } from '../response-size.ts';
import { FailureLog } from './failure-log.ts';

export interface ResponseOptions {
  /** The largest response, in bytes. */
  readonly maxResponseBytes: number;
  /** Whether errors may suggest names that the schema has. */
  readonly suggestions: boolean;
}

/**
 * Presents every error of every response, and of each event of a subscription, in the contract's terms. It stands where
 * responses are made, so that nothing can fail without passing it: not the request itself, not a parser, not a plugin.
 */
export function useServiceErrors(options: ResponseOptions): Plugin<Incoming, Incoming> {
  /** Requests whose mutations were run. */
  const changing = new WeakSet<FastifyRequest>();
  return {
    onExecute({ args: { document, operationName, contextValue } }) {
      const isMutation = getOperationAST(document, operationName)?.operation === 'mutation';
      if (isMutation) changing.add(contextValue.http);
    },
    onResultProcess({ result, setResult, serverContext: { http } }) {
      // Batches are off.
      if (Array.isArray(result)) return;
      const within = changing.has(http) ? withRoomFor : orRefusal;
      const present = (each: ExecutionResult) => presentResult(within(each, options.maxResponseBytes), http, options);
      setResult(isStream(result) ? mapAsyncIterator(result, present) : present(result));
    },
  };
}

const isStream = <T extends object>(result: T | AsyncIterable<T>): result is AsyncIterable<T> =>
  Symbol.asyncIterator in result;

function presentResult(result: ExecutionResult, http: FastifyRequest, options: ResponseOptions): ExecutionResult {
  const { errors } = result;
  if (errors === undefined) return result;
  // Before anything is executed, the HTTP status can tell what failed.
  const isWhole = !('data' in result);
  // Yoga drops the errors of work that was aborted.
  const failures = errors.length === 0 && isWhole ? [unexpectedError('The execution was aborted')] : errors;
  const log = new FailureLog();
  const presentation = { ...options, isWhole, log: (failure: ServiceError) => log.note(failure) };
  const told = failures.slice(0, maxToldErrors).map((error) => presentError(error, http, presentation));
  const untold = failures.length - told.length;
  log.write(http, untold);
  return { ...result, errors: untold === 0 ? told : [...told, moreErrors(untold, http)] };
}

/**
 * Of one response. A service that leaves something out of every item of a long list makes thousands, and to tell and to log
 * each of them would hold up everybody for seconds.
 */
const maxToldErrors = 100;

const moreErrors = (count: number, http: FastifyRequest): GraphQLError =>
  toGraphQLError(new ServiceError('provider_error', { detail: `There are ${count} more errors.` }), http.id);

/** The result, or the error of one that is too large. */
function orRefusal(result: ExecutionResult, maxBytes: number): ExecutionResult {
  try {
    requireSendable(result, maxBytes);
    return result;
  } catch (error) {
    return { errors: [new GraphQLError('The response is too large', { originalError: fromUnknown(error) })] };
  }
}

interface Presentation extends Partial<ResponseOptions> {
  /** Whether the error is the whole response. */
  readonly isWhole?: boolean;
  /** Takes the failure, to be logged. */
  readonly log?: (failure: ServiceError) => void;
}

/** An error as the caller may see it. Unexpected errors are masked, and logged with the id of the request. */
export function presentError(error: unknown, http: FastifyRequest, presentation: Presentation = {}): GraphQLError {
  if (!(error instanceof GraphQLError)) return ofService(fromUnknown(error), http, presentation);
  if (error.extensions.type !== undefined) return error;
  const cause = rootCause(error);
  // graphql-js and Yoga report an invalid request without a path, and a value that does not fit the schema with one.
  if (cause === undefined && (error.path === undefined || isOfArgument(error)))
    return ofCaller(error, http, presentation);
  // Resolvers throw nothing but ServiceErrors (see `wrapResolverErrors`): at a path, the rest is graphql-js' own.
  const failure =
    error.path === undefined || cause instanceof ServiceError
      ? fromUnknown(cause)
      : new ServiceError('provider_error', { detail: 'What was read does not fit the schema.', cause: error });
  return ofService(failure, http, presentation, error);
}

/**
 * Whether graphql-js refuses an argument: null for one that must not be, where the variable may be. It points to the value
 * in the document; whatever it refuses of a result, it points to the field.
 */
const isOfArgument = ({ nodes }: GraphQLError): boolean => nodes !== undefined && nodes[0]?.kind !== Kind.FIELD;

function ofService(failure: ServiceError, http: FastifyRequest, presentation: Presentation, at?: GraphQLError) {
  const { isWhole, log = (each) => logFailure(each, http) } = presentation;
  log(failure);
  http.addHeaders(failure.headers);
  const presented = toGraphQLError(failure, http.id, at);
  if (isWhole) presented.extensions.http = { status: failure.status };
  return presented;
}

/** Longer messages quote what the caller sent, which may be as long as a request can be. */
const maxMessage = 2_000;

/** The types of what graphql-js and Yoga refuse, by the code that Yoga gives it. */
const typesOfCodes: Readonly<Record<string, ErrorName>> = {
  GRAPHQL_VALIDATION_FAILED: 'invalid_parameters',
  GRAPHQL_PARSE_FAILED: 'malformed_request',
};

/** A request that is not valid, in the words of graphql-js or Yoga, with the envelope of the contract. */
function ofCaller(
  error: GraphQLError,
  http: FastifyRequest,
  { suggestions = true, isWhole }: Presentation,
): GraphQLError {
  const { code, http: response } = error.extensions;
  // What has no code is a variable that does not fit its type.
  const type = typesOfCodes[String(code)] ?? (code === undefined ? 'invalid_parameters' : 'malformed_request');
  const message = shortened(suggestions ? error.message : withoutSuggestion(error.message));
  const failure = new ServiceError(type, { detail: message });
  const presented = toGraphQLError(failure, http.id, error);
  const { originalError: _, ...extensions } = error.extensions;
  // As GraphQL over HTTP has it: 405 for a mutation in a GET; else 400, but 200 where the client accepts nothing newer than
  // application/json. The status of the envelope is that of its type: the contract has no 405.
  const httpResponse = response ?? (isWhole ? { status: failure.status, spec: true } : undefined);
  Object.assign(presented.extensions, {
    ...extensions,
    ...presented.extensions,
    ...(httpResponse ? { http: httpResponse } : {}),
  });
  return presented;
}

const shortened = (message: string): string =>
  message.length <= maxMessage ? message : `${message.slice(0, maxMessage)} …`;

/** graphql-js suggests names of the schema that are like the one that it does not know. */
const withoutSuggestion = (message: string): string => message.replace(/ Did you mean [\s\S]*$/, '');

/** What a resolver threw, out of the errors that executors wrap around it. */
function rootCause(error: GraphQLError): Error | undefined {
  const cause = error.originalError ?? undefined;
  return cause instanceof GraphQLError ? rootCause(cause) : cause;
}
