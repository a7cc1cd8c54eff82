import { type ExecutionResult, GraphQLError, Kind } from 'graphql';
import { type ErrorName, fromUnknown, ServiceError, unexpectedError } from '../errors.ts';
import type { IncomingRequest } from '../http/incoming-request.ts';
import { logFailure } from '../http/refusals.ts';
import { toGraphQLError } from './errors.ts';
import { FailureLog } from './failure-log.ts';
import { requireSendable, withRoomFor } from './response-size.ts';

export interface ResponseOptions {
  /** The largest response, in bytes. */
  readonly maxResponseBytes: number;
  /** Whether errors may suggest names that the schema has. */
  readonly suggestions: boolean;
}

/** What presenting a failure needs of its request. */
export type FailedRequest = Pick<IncomingRequest, 'id' | 'log' | 'clientAborted' | 'addHeaders' | 'facts'>;

/** The result of an operation that was executed or refused, with room for it, and its errors in the contract's terms. */
export function presentResult(
  result: ExecutionResult,
  isMutation: boolean,
  http: () => FailedRequest,
  options: ResponseOptions,
): ExecutionResult {
  const limited = (isMutation ? withRoomFor : orRefusal)(result, options.maxResponseBytes);
  return limited.errors === undefined ? limited : presentErrors(limited, limited.errors, http(), options);
}

function presentErrors(
  result: ExecutionResult,
  errors: readonly GraphQLError[],
  http: FailedRequest,
  options: ResponseOptions,
): ExecutionResult {
  // Before anything is executed, the HTTP status can tell what failed.
  const isWhole = !('data' in result);
  const isEmpty = Object.values(result.data ?? {}).every((value) => value === null);
  // Yoga drops the errors of work that was aborted.
  const failures = errors.length === 0 && isWhole ? [unexpectedError('The execution was aborted')] : errors;
  const log = new FailureLog();
  const presentation = { ...options, isWhole, isEmpty, log: (failure: ServiceError) => log.note(failure) };
  const reported = failures.slice(0, maxReportedErrors).map((error) => presentError(error, http, presentation));
  const omitted = failures.length - reported.length;
  log.write(http, omitted);
  http.facts.errors = [...new Set(reported.map(({ extensions }) => String(extensions.type)))];
  return { ...result, errors: omitted === 0 ? reported : [...reported, moreErrors(omitted, http)] };
}

/**
 * Of one response. A service that leaves something out of every item of a long list makes thousands, and to tell and to log
 * each of them would hold up everybody for seconds.
 */
const maxReportedErrors = 100;

const moreErrors = (count: number, http: FailedRequest): GraphQLError =>
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
  /** Whether no field has a value. */
  readonly isEmpty?: boolean;
  /** Takes the failure, to be logged. */
  readonly log?: (failure: ServiceError) => void;
}

/** An error as the caller may see it. Unexpected errors are masked, and logged with the id of the request. */
export function presentError(error: unknown, http: FailedRequest, presentation: Presentation = {}): GraphQLError {
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

function ofService(failure: ServiceError, http: FailedRequest, presentation: Presentation, at?: GraphQLError) {
  const { isWhole, isEmpty, log = (each) => logFailure(each, http) } = presentation;
  log(failure);
  http.addHeaders(failure.headers);
  const presented = toGraphQLError(failure, http.id, at);
  // The HTTP status can also say that a key is not accepted, as long as it hides no data: many clients read none then.
  if (isWhole || (isEmpty && failure.family === 'key')) presented.extensions.http = { status: failure.status };
  return presented;
}

/** Longer messages quote what the caller sent, which may be as long as a request can be. */
const maxMessage = 2_000;

/** The types of what graphql-js and Yoga refuse, by the code that Yoga gives it. */
const typesOfCodes: Readonly<Record<string, ErrorName>> = {
  GRAPHQL_VALIDATION_FAILED: 'invalid_parameters',
  GRAPHQL_PARSE_FAILED: 'malformed_request',
  // Of a subscription. In a query or mutation such a variable has no code.
  BAD_USER_INPUT: 'invalid_parameters',
};

/** By these codes clients recognize the steps of automatic persisted queries, so they stay as they are. */
const isOfPersistedQueries = (code: unknown): boolean => String(code).startsWith('PERSISTED_QUERY_');

/** A request that is not valid, in the words of graphql-js or Yoga, with the envelope of the contract. */
function ofCaller(
  error: GraphQLError,
  http: FailedRequest,
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
    ...(isOfPersistedQueries(code) ? { code } : {}),
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
