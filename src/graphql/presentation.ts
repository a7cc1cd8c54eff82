/**
 * Responses: errors in the contract's terms, within the largest size, with the cost.
 *
 * The way of a refusal. Whoever refuses throws a `ServiceError` or an error of graphql-js, which becomes a response
 *   for bytes that are no request        in http/unreadable.ts, on the socket
 *   before a door, or while it writes    in `sendRefusal` of http/send.ts, by the `refuse` of the route
 *   of a stage, an executor or a door    in `presentRefusal` here; the door takes the status from the errors
 *   of a resolver, or of validation      in `errors`, by `presentErrors` here
 *   of a mutation, and expected          as a member of its union (kit/error-types.ts)
 *   of an event of a subscription        as its last result. After a temporary one the stream ends without its
 *                                        completion: the client comes back
 *   of an operation of REST              in `sendRefusal`, as far as the contract allows it (rest/allowed-errors.ts)
 */
import { type ExecutionResult, GraphQLError, Kind } from 'graphql';
import type { IncomingRequest } from '../http/incoming-request.ts';
import { logFailure } from '../http/send.ts';
import { type ErrorCode, type ErrorName, fromUnknown, ServiceError } from '../kernel/errors.ts';
import { shortened } from '../kernel/issues.ts';
import { printJson, stringify } from '../kernel/lib/json-text.ts';
import type { Splice } from '../splice/splicer.ts';
import type { Exchange, Outcome } from './exchange.ts';
import { FailureLog, isPresented, shortErrors, toGraphQLError, typeOfPresented, withoutStatus } from './kit/errors.ts';
import { orRefusal, type SizedResult, withRoomFor } from './response-size.ts';

export interface ResponseOptions {
  readonly maxResponseBytes: number;
  /** Whether errors may suggest names of the schema. */
  readonly suggestions: boolean;
}

export type Presented =
  /** In the kernel's memory, which the sender closes. */
  | { readonly splice: Splice }
  | PresentedBody
  /** Each still to be presented. */
  | { readonly results: AsyncIterable<ExecutionResult> };

/** JSON with its errors, which say the status. */
export interface PresentedBody {
  readonly body: Uint8Array | string;
  readonly errors: readonly GraphQLError[];
  readonly hasData: boolean;
}

export function present(
  outcome: Outcome,
  exchange: Exchange,
  options: ResponseOptions,
): Presented | Promise<Presented> {
  if ('results' in outcome) return outcome;
  if ('result' in outcome) return printResult(outcome.result, exchange, options);
  const output = 'body' in outcome ? outcome.body : outcome.splice.output();
  if ('splice' in outcome) exchange.cached?.set(output);
  if (!wantsCost(exchange)) return 'splice' in outcome ? outcome : { body: output, errors: [], hasData: true };
  const body = withExtensions(output, { cost: exchange.cost });
  if ('splice' in outcome) outcome.splice.close();
  return { body, errors: [], hasData: true };
}

/** For a refused request, or a failure where only a bug can fail. */
export function presentRefusal(error: unknown, exchange: Exchange, options: ResponseOptions): PresentedBody {
  const failures = error instanceof GraphQLError ? shortErrors([error]) : [error];
  const result = presentErrors({}, failures, exchange.http, options);
  const { value, errors, hasData } = withCost({ result, bytes: 0 }, exchange);
  return { errors, hasData, body: stringify(value) };
}

function printResult(
  executed: ExecutionResult,
  exchange: Exchange,
  options: ResponseOptions,
): PresentedBody | Promise<PresentedBody> {
  const { value, bytes, errors, hasData } = withCost(presentSized(executed, exchange, options), exchange);
  const printing = printJson(value, exchange.turn, bytes);
  const bodyOf = (printed: Uint8Array | string): PresentedBody => {
    if (errors.length > 0) return { errors, hasData, body: printed };
    exchange.cached?.set(printed);
    const body = wantsCost(exchange) ? withExtensions(printed, { cost: exchange.cost }) : printed;
    return { errors, hasData, body };
  };
  return printing instanceof Promise ? printing.then(bodyOf) : bodyOf(printing);
}

/** Sizes of results that streams share. Errors have the id of their request. */
const sizes = new WeakMap<ExecutionResult, SizedResult>();
const prints = new WeakMap<ExecutionResult, Promise<PresentedBody>>();

export const printStreamed = (
  executed: ExecutionResult,
  exchange: Exchange,
  options: ResponseOptions,
): Promise<PresentedBody> => prints.get(executed) ?? print(shown(presentSized(executed, exchange, options)), exchange);

async function print({ value, bytes, errors, hasData }: ReturnType<typeof shown>, { turn }: Exchange) {
  return { body: await printJson(value, turn, bytes), errors, hasData };
}

/** Prints a result once, for {@link printStreamed} of all streams that get it, unless it has errors. */
export async function printForAll(
  executed: ExecutionResult,
  exchange: Exchange,
  { maxResponseBytes }: Pick<ResponseOptions, 'maxResponseBytes'>,
): Promise<void> {
  const sized = executed.data ? orRefusal(executed, maxResponseBytes) : { result: executed, bytes: 0 };
  sizes.set(executed, sized);
  if (sized.result.errors !== undefined) return;
  const printing = print(shown(sized), exchange);
  prints.set(executed, printing);
  await printing;
}

/** @returns the size of a result after {@link printForAll} */
export const bytesForAll = (executed: ExecutionResult): number => sizes.get(executed)?.bytes ?? 0;

/** With the cost beside errors, if it is asked for or their reason. */
function withCost(sized: SizedResult, exchange: Exchange) {
  const { errors = [], data } = sized.result;
  if (errors.length === 0) return shown(sized);
  const beyondLimit = data === undefined ? errors.filter(({ extensions }) => extensions.code === limitError) : [];
  for (const { extensions } of beyondLimit) extensions.cost = exchange.cost;
  const presented = shown(sized);
  if (beyondLimit.length === 0 && !wantsCost(exchange)) return presented;
  return { ...presented, value: { ...presented.value, extensions: { cost: exchange.cost } } };
}

/** As clients see it. The status of an error is for HTTP. */
function shown({ result, bytes }: SizedResult) {
  const { errors = [], data } = result;
  const value = errors.length === 0 ? result : { ...result, errors: errors.map(withoutStatus) };
  return { value, bytes, errors, hasData: errors.length === 0 || data !== undefined };
}

/** A client's request for the cost, as in Hot Chocolate: `GraphQL-Cost: report`. */
const wantsCost = ({ http: { headers } }: Exchange): boolean => headers['graphql-cost'] === 'report';

/** A refusal for a limit says the cost, asked for or not. */
const limitError: ErrorCode = 'LIMIT_TOO_HIGH';

function withExtensions(body: Uint8Array | string, extensions: object): string {
  const text = typeof body === 'string' ? body : Buffer.from(body).toString();
  return `${text.slice(0, -1)},"extensions":${JSON.stringify(extensions)}}`;
}

type FailedRequest = Pick<IncomingRequest, 'id' | 'log' | 'clientAborted' | 'addHeaders' | 'facts'>;

/** With room for the result, and errors in the contract's terms. */
function presentSized(executed: ExecutionResult, exchange: Exchange, options: ResponseOptions): SizedResult {
  const limit = exchange.isMutation ? withRoomFor : orRefusal;
  const counted = () => (executed.data ? limit(executed, options.maxResponseBytes) : { result: executed, bytes: 0 });
  const sized = sizes.get(executed) ?? counted();
  const { result, bytes } = sized;
  return result.errors === undefined
    ? sized
    : { result: presentErrors(result, result.errors, exchange.http, options), bytes };
}

function presentErrors(
  result: ExecutionResult,
  errors: readonly unknown[],
  http: FailedRequest,
  options: ResponseOptions,
): ExecutionResult {
  // Before execution, the HTTP status can tell the failure.
  const isWhole = !('data' in result);
  const isEmpty = Object.values(result.data ?? {}).every((value) => value === null);
  const log = new FailureLog();
  const presentation = { ...options, isWhole, isEmpty, log: (failure: ServiceError) => log.note(failure) };
  const reported = errors.slice(0, maxReportedErrors).map((error) => presentError(error, http, presentation));
  const omitted = errors.length - reported.length;
  log.write(http, omitted);
  http.facts.errors = [...new Set(reported.map(typeOfPresented))];
  return { ...result, errors: omitted === 0 ? reported : [...reported, moreErrors(omitted, http.id)] };
}

/**
 * Of one response. A service that omits a field of every item of a long list makes thousands: telling and logging each
 * would hold up everybody for seconds.
 */
export const maxReportedErrors = 100;

const moreErrors = (count: number, requestId: string): GraphQLError =>
  toGraphQLError(new ServiceError('provider_error', { detail: `There are ${count} more errors.` }), requestId);

interface Presentation extends Partial<ResponseOptions> {
  readonly isWhole?: boolean;
  readonly isEmpty?: boolean;
  readonly log?: (failure: ServiceError) => void;
}

/** For callers: unexpected errors are masked, and logged with the request's id. */
export function presentError(error: unknown, http: FailedRequest, presentation: Presentation = {}): GraphQLError {
  if (!(error instanceof GraphQLError)) return ofService(fromUnknown(error), http, presentation);
  if (isPresented(error)) return error;
  const cause = rootCause(error);
  // graphql-js and Yoga report invalid requests without a path, and values that do not fit the schema with one.
  if (cause === undefined && (error.path === undefined || isOfArgument(error)))
    return ofCaller(error, http, presentation);
  // Resolvers throw nothing but ServiceErrors (see `wrapResolverErrors`): at a path, the rest is graphql-js' own.
  const failure =
    error.path === undefined || cause instanceof ServiceError
      ? fromUnknown(cause)
      : new ServiceError('provider_error', {
          detail: 'The value that was read does not fit the schema.',
          cause: error,
        });
  return ofService(failure, http, presentation, error);
}

/** Whether graphql-js refuses an argument: its error points to the value in the document, others to the field. */
const isOfArgument = ({ nodes }: GraphQLError): boolean => nodes !== undefined && nodes[0]?.kind !== Kind.FIELD;

function ofService(failure: ServiceError, http: FailedRequest, presentation: Presentation, at?: GraphQLError) {
  const { isWhole, isEmpty, log = (each) => logFailure(each, http) } = presentation;
  log(failure);
  http.addHeaders(failure.headers);
  const presented = toGraphQLError(failure, http.id, at);
  // The HTTP status may also refuse a key, unless it hides data: many clients read none then.
  if (isWhole || (isEmpty && failure.family === 'key')) presented.extensions.http = { status: failure.status };
  return presented;
}

/** Longer messages quote the request, whatever its length. */
const maxMessage = 2_000;

/** By Yoga's codes for refusals of graphql-js and Yoga. */
const typesOfCodes: Readonly<Record<string, ErrorName>> = {
  GRAPHQL_VALIDATION_FAILED: 'invalid_parameters',
  GRAPHQL_PARSE_FAILED: 'malformed_request',
  // Of a subscription; in queries and mutations such a variable has no code.
  BAD_USER_INPUT: 'invalid_parameters',
};

/** Unchanged: clients recognize the steps of automatic persisted queries by them. */
const isOfPersistedQueries = (code: unknown): boolean => String(code).startsWith('PERSISTED_QUERY_');

/** An invalid request, in the words of graphql-js or Yoga. */
function ofCaller(
  error: GraphQLError,
  http: FailedRequest,
  { suggestions = true, isWhole }: Presentation,
): GraphQLError {
  const { code, http: response } = error.extensions;
  // Without a code, a variable does not fit its type.
  const type = typesOfCodes[String(code)] ?? (code === undefined ? 'invalid_parameters' : 'malformed_request');
  const message = shortened(suggestions ? error.message : withoutSuggestion(error.message), maxMessage);
  const failure = new ServiceError(type, { detail: message });
  const presented = toGraphQLError(failure, http.id, error);
  const { originalError: _, ...extensions } = error.extensions;
  // GraphQL over HTTP: 405 for a mutation in a GET; else 400, but 200 where the client accepts nothing newer than
  // application/json. The error has its code's status, as the contract has no 405.
  const httpResponse = response ?? (isWhole ? { status: failure.status, spec: true } : undefined);
  Object.assign(presented.extensions, {
    ...extensions,
    ...presented.extensions,
    ...(isOfPersistedQueries(code) ? { code } : {}),
    ...(httpResponse ? { http: httpResponse } : {}),
  });
  return presented;
}

/** graphql-js suggests names of the schema. */
const withoutSuggestion = (message: string): string => message.replace(/ Did you mean [\s\S]*$/, '');

function rootCause(error: GraphQLError): Error | undefined {
  const cause = error.originalError ?? undefined;
  return cause instanceof GraphQLError ? rootCause(cause) : cause;
}
