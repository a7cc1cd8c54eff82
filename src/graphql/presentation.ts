/** Makes responses of what came of requests: errors in the contract's terms, within the largest size, with the cost. */
import { type ExecutionResult, GraphQLError, Kind } from 'graphql';
import type { IncomingRequest } from '../http/incoming-request.ts';
import { logFailure } from '../http/refusals.ts';
import { type ErrorName, fromUnknown, ServiceError } from '../kernel/errors.ts';
import type { Splice } from '../splice/splicer.ts';
import type { Exchange, Outcome } from './exchange.ts';
import { FailureLog } from './failure-log.ts';
import { withoutStatus } from './kit/error-extensions.ts';
import { toGraphQLError } from './kit/errors.ts';
import { requireSendable, withRoomFor } from './response-size.ts';
import { shortErrors } from './short-errors.ts';

export interface ResponseOptions {
  /** The largest response, in bytes. */
  readonly maxResponseBytes: number;
  /** Whether errors may suggest names that the schema has. */
  readonly suggestions: boolean;
}

/** A response as a door sends it. */
export type Presented =
  /** Bytes in the memory of the kernel, which whoever sends them closes. */
  | { readonly splice: Splice }
  | PresentedBody
  /** Each still to be presented. */
  | { readonly results: AsyncIterable<ExecutionResult> };

/** JSON, with the errors in it, which say the status. */
export interface PresentedBody {
  readonly body: Uint8Array | string;
  readonly errors: readonly GraphQLError[];
  readonly hasData: boolean;
}

/** The response to a request that has passed, or that a stage responds to. */
export function present(outcome: Outcome, exchange: Exchange, options: ResponseOptions): Presented {
  if ('results' in outcome) return outcome;
  if ('result' in outcome) return presentedResult(outcome.result, exchange, options);
  const output = 'body' in outcome ? outcome.body : outcome.splice.output();
  if ('splice' in outcome) exchange.cached?.set(output);
  if (!wantsCost(exchange)) return 'splice' in outcome ? outcome : { body: output, errors: [], hasData: true };
  const body = withExtensions(output, { cost: exchange.cost });
  if ('splice' in outcome) outcome.splice.close();
  return { body, errors: [], hasData: true };
}

/** The response to a request that is refused, or that failed where only a bug can. */
export function refusal(error: unknown, exchange: Exchange, options: ResponseOptions): PresentedBody {
  const failure =
    error instanceof GraphQLError ? error : new GraphQLError('Refused', { originalError: fromUnknown(error) });
  return presentedResult({ errors: shortErrors([failure]) }, exchange, options);
}

function presentedResult(executed: ExecutionResult, exchange: Exchange, options: ResponseOptions): PresentedBody {
  const result = presentResult(executed, exchange, options);
  const { errors = [], data } = result;
  if (errors.length === 0) {
    const body = JSON.stringify(result);
    exchange.cached?.set(body);
    return { body: wantsCost(exchange) ? withExtensions(body, { cost: exchange.cost }) : body, errors, hasData: true };
  }
  const isTooLarge = data === undefined && errors.some(({ extensions }) => extensions.type === limitError.type);
  if (isTooLarge)
    for (const { extensions } of errors) if (extensions.type === limitError.type) extensions.cost = exchange.cost;
  const extensions = isTooLarge || wantsCost(exchange) ? { extensions: { cost: exchange.cost } } : {};
  const body = JSON.stringify({ ...result, errors: errors.map(withoutStatus), ...extensions });
  return { body, errors, hasData: data !== undefined };
}

/** The header with which a client asks for the cost of its operation, as Hot Chocolate has it: `GraphQL-Cost: report`. */
const wantsCost = ({ http: { headers } }: Exchange): boolean => headers['graphql-cost'] === 'report';

/** The type of an operation that was refused for a limit: what it costs is said whether it is asked for or not. */
const limitError = new ServiceError('limit_too_high');

/** `{"data":…}` with extensions. */
function withExtensions(body: Uint8Array | string, extensions: object): string {
  const text = typeof body === 'string' ? body : Buffer.from(body).toString();
  return `${text.slice(0, -1)},"extensions":${JSON.stringify(extensions)}}`;
}

/** What presenting a failure needs of its request. */
export type FailedRequest = Pick<IncomingRequest, 'id' | 'log' | 'clientAborted' | 'addHeaders' | 'facts'>;

/** The result of an operation that was executed or refused, with room for it, and its errors in the contract's terms. */
export function presentResult(result: ExecutionResult, exchange: Exchange, options: ResponseOptions): ExecutionResult {
  const limit = exchange.isMutation ? withRoomFor : orRefusal;
  const limited = result.data ? limit(result, options.maxResponseBytes) : result;
  return limited.errors === undefined ? limited : presentErrors(limited, limited.errors, exchange.http, options);
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
  const log = new FailureLog();
  const presentation = { ...options, isWhole, isEmpty, log: (failure: ServiceError) => log.note(failure) };
  const reported = errors.slice(0, maxReportedErrors).map((error) => presentError(error, http, presentation));
  const omitted = errors.length - reported.length;
  log.write(http, omitted);
  http.facts.errors = [...new Set(reported.map(({ extensions }) => String(extensions.type)))];
  return { ...result, errors: omitted === 0 ? reported : [...reported, moreErrors(omitted, http.id)] };
}

/**
 * Of one response. A service that leaves something out of every item of a long list makes thousands, and to tell and to log
 * each of them would hold up everybody for seconds.
 */
const maxReportedErrors = 100;

const moreErrors = (count: number, requestId: string): GraphQLError =>
  toGraphQLError(new ServiceError('provider_error', { detail: `There are ${count} more errors.` }), requestId);

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
