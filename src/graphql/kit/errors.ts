/** Top-level errors: all failures but the expected ones of mutations (error-types.ts). */
import { GraphQLError, type GraphQLField, type GraphQLSchema, isObjectType } from 'graphql';
import {
  type ErrorCode,
  type ErrorEnvelope,
  type ErrorType,
  fromUnknown,
  type Issue,
  type ServiceError,
  toEnvelope,
} from '../../kernel/errors.ts';
import { issuesInGraphQL } from './contract-mapping.ts';

/** The contract's envelope, and its type as a value of the enum `ErrorCode`. */
export interface ErrorExtensions extends ErrorEnvelope {
  readonly code: ErrorCode;
}

const errorExtensions = (envelope: ErrorEnvelope): ErrorExtensions => ({
  code: codeOf(envelope.type),
  ...envelope,
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

const codeOf = (type: ErrorType): ErrorCode => upperCase(type.slice('errors/'.length) as Lowercase<ErrorCode>);

/** The methods of strings lose literal types. */
const upperCase = <Text extends string>(text: Text) => text.toUpperCase() as Uppercase<Text>;

/** An error for clients: its HTTP status is for the response as a whole. */
export function withoutStatus(error: GraphQLError): object {
  const { extensions: { http: _, ...extensions } = {}, ...told } = error.toJSON();
  return { ...told, extensions };
}

export const errorBody = (envelope: ErrorEnvelope) => ({
  errors: [{ message: envelope.detail ?? envelope.title, extensions: errorExtensions(envelope) }],
});

/**
 * Extensions are the contract's envelope, a code, and the issues of an invalid request.
 * @param requestId the `instance` of the envelope
 * Without an original error, of which graphql-js would print the stack.
 * @param at the executor's error, for path and location
 */
export function toGraphQLError(error: ServiceError, requestId: string, at?: GraphQLError): GraphQLError {
  return new GraphQLError(error.message, {
    nodes: at?.nodes,
    source: at?.source,
    positions: at?.positions,
    path: at?.path,
    extensions: {
      ...errorExtensions(toEnvelope(error, requestId)),
      ...issuesExtension(error.issues),
    },
  });
}

export interface HttpOfError {
  readonly status: number;
  /** Whether the status is 200 for a client that accepts only application/json. */
  readonly spec?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

export const httpOfError = ({ extensions }: GraphQLError): HttpOfError | undefined =>
  extensions.http as HttpOfError | undefined;

/** In the words of Yoga. */
export const badRequest = (message: string, { status = 400, ...http }: Partial<HttpOfError> = {}): GraphQLError =>
  new GraphQLError(message, { extensions: { code: 'BAD_REQUEST', http: { status, ...http } } });

/**
 * Turns whatever a resolver throws into a ServiceError, at once: graphql-js itself throws a plain Error for a value
 * that does
 * not fit the schema, and later our bugs would look like a provider's odd data. Exposed properties throw nothing.
 */
export function wrapResolverErrors(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const { resolve, subscribe } = field;
      // A refused subscription concerns the field's arguments, under their GraphQL names.
      if (subscribe !== undefined) field.subscribe = withServiceErrors(subscribe, inGraphQL);
      if (resolve === undefined || field.extensions.pothosExposedField !== undefined) continue;
      field.resolve = withServiceErrors(resolve, fromUnknown);
    }
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
