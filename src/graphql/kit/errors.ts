/** Top-level errors, all failures but the expected ones of mutations (error-types.ts), and their bounds in a response and in the log. */

import { GraphQLError, type GraphQLField, type GraphQLSchema } from 'graphql';
import type { IncomingRequest } from '../../http/incoming-request.ts';
import { logFailure } from '../../http/send.ts';
import {
  type ErrorCode,
  type ErrorType,
  errorTable,
  fromUnknown,
  type Issue,
  type ServiceError,
  withoutStacks,
} from '../../kernel/errors.ts';
import { issueLimits, shortened } from '../../kernel/issues.ts';
import { issuesInGraphQL } from './contract-mapping.ts';
import { fieldsOf } from './schema-fields.ts';

/** What a `ServiceError` of the schema has beside its message. */
interface ErrorExtensions {
  readonly code: ErrorCode;
  readonly requestId: string;
  readonly status: number;
}

const errorExtensions = ({ errorName, status }: ServiceError, requestId: string): ErrorExtensions => ({
  code: upperCase(errorName),
  requestId,
  status,
});

/** The part of the extensions that tells which fields of the request are invalid; nothing if that is not known. */
export const issuesExtension = (issues: readonly Issue[]) =>
  issues.length === 0 ? {} : { issues: issues.map(shownIssue) };

const shownIssue = ({ path, code, limit, message }: Issue) => ({
  path: path.map(String),
  code: upperCase(code),
  limit: limit ?? null,
  message,
});

/** Whether an error has what clients are told of it. */
export const isPresented = ({ extensions }: GraphQLError): boolean => extensions.requestId !== undefined;

/** For the log, which has the types of REST: steps of persisted queries have codes of their own. */
export function typeOfPresented({ extensions: { code, status } }: GraphQLError): ErrorType {
  const name = String(code).toLowerCase();
  if (Object.hasOwn(errorTable, name)) return `errors/${name as keyof typeof errorTable}`;
  return status === errorTable.resource_not_found.status ? 'errors/resource_not_found' : 'errors/malformed_request';
}

/** The methods of strings lose literal types. */
const upperCase = <Text extends string>(text: Text) => text.toUpperCase() as Uppercase<Text>;

/** An error for clients: its HTTP status is for the response as a whole. */
export function withoutStatus(error: GraphQLError): object {
  const { extensions: { http: _, ...extensions } = {}, ...told } = error.toJSON();
  return { ...told, extensions };
}

export const errorBody = (error: ServiceError, requestId: string) => ({
  errors: [{ message: error.message, extensions: errorExtensions(error, requestId) }],
});

/**
 * With the issues of an invalid request, and the value that could not be read.
 * Without an original error, of which graphql-js would print the stack.
 * @param at the executor's error, for path and location
 */
export function toGraphQLError(error: ServiceError, requestId: string, at?: GraphQLError): GraphQLError {
  const options = {
    nodes: at?.nodes,
    source: at?.source,
    positions: at?.positions,
    path: at?.path,
    extensions: {
      ...errorExtensions(error, requestId),
      ...issuesExtension(error.issues),
      ...(error.value === undefined ? {} : { value: error.value }),
    },
  };
  return withoutStacks(() => new GraphQLError(error.message, options));
}

interface HttpOfError {
  readonly status?: number;
  /** Whether the status is 200 for a client that accepts only application/json. */
  readonly spec?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/** In the words of Yoga. */
export const badRequest = (message: string, { status = 400, ...http }: HttpOfError = {}): GraphQLError =>
  withoutStacks(() => new GraphQLError(message, { extensions: { code: 'BAD_REQUEST', http: { status, ...http } } }));

/**
 * Turns whatever a resolver throws into a ServiceError, at once: graphql-js itself throws a plain Error for a value
 * that does not fit the schema, and later our bugs would look like a provider's odd data. Exposed properties throw
 * nothing.
 */
export function wrapResolverErrors(schema: GraphQLSchema): GraphQLSchema {
  for (const { field } of fieldsOf(schema)) {
    const { resolve, subscribe } = field;
    // A refused subscription concerns the field's arguments, under their GraphQL names.
    if (subscribe !== undefined) field.subscribe = withServiceErrors(subscribe, inGraphQL);
    if (resolve === undefined || field.extensions.pothosExposedField !== undefined) continue;
    field.resolve = withServiceErrors(resolve, fromUnknown);
  }
  return schema;
}

type Resolver = NonNullable<GraphQLField<unknown, unknown>['resolve']>;

function withServiceErrors(resolve: Resolver, present: (error: unknown) => ServiceError): Resolver {
  const rethrow = (error: unknown): never => {
    throw present(error);
  };
  return (parent, args, context, info) => {
    try {
      const value: unknown = resolve(parent, args, context, info);
      return value instanceof Promise ? value.catch(rethrow) : value;
    } catch (error) {
      return rethrow(error);
    }
  };
}

const inGraphQL = (error: unknown): ServiceError => issuesInGraphQL(fromUnknown(error));

/** graphql-js' own messages have about a hundred, and the names and values that they repeat. */
const maxMessageCharacters = 500;
/** Bytes of all errors of graphql-js in a response. The first is told even if it is larger. */
const maxErrorBytes = 12_288;
/** Added to each error, besides the message. */
const extensionsBytes = 150;

/** Shortens errors of graphql-js, which repeat names, literals and values in full, and counts those beyond the first. */
export function shortErrors(errors: readonly GraphQLError[]): GraphQLError[] {
  let left = maxErrorBytes;
  let told = 0;
  let untold = 0;
  const kept = errors.flatMap((error) => {
    if (!isOfGraphQL(error)) return error;
    const short = shortenedError(error);
    left -= Buffer.byteLength(JSON.stringify(short)) + extensionsBytes;
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
const isOfGraphQL = (error: GraphQLError): boolean =>
  !isPresented(error) && error.originalError === undefined && error.path === undefined;

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
