/** Failures as top-level errors: everything but the expected failures of mutations, which are data (error-types.ts). */
import { GraphQLError, type GraphQLField, type GraphQLSchema, isObjectType } from 'graphql';
import { fromUnknown, type ServiceError, toEnvelope } from '../../kernel/errors.ts';
import { issuesInGraphQL } from './contract-mapping.ts';
import { errorExtensions } from './error-extensions.ts';

/**
 * A failure as a top-level error. Its extensions are the contract's envelope with a code, and the issues of an invalid request.
 * @param requestId the `instance` of the envelope
 * @param at the executor's error, for the path of the field and its location in the document
 */
export function toGraphQLError(error: ServiceError, requestId: string, at?: GraphQLError): GraphQLError {
  return new GraphQLError(error.message, {
    nodes: at?.nodes,
    source: at?.source,
    positions: at?.positions,
    path: at?.path,
    originalError: error,
    extensions: {
      ...errorExtensions(toEnvelope(error, requestId)),
      ...(error.issues.length === 0 ? {} : { issues: error.issues }),
    },
  });
}

/** What GraphQL over HTTP says about a refusal: its status, and headers of the response. */
export interface HttpOfError {
  readonly status: number;
  /** Whether it is 200 for a client that accepts nothing newer than application/json. */
  readonly spec?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What an error says about the response as a whole; undefined for one that says nothing. */
export const httpOfError = ({ extensions }: GraphQLError): HttpOfError | undefined =>
  // Nothing else writes this extension.
  extensions.http as HttpOfError | undefined;

/** A request that is no request of GraphQL, in the words of Yoga. */
export const badRequest = (message: string, { status = 400, ...http }: Partial<HttpOfError> = {}): GraphQLError =>
  new GraphQLError(message, { extensions: { code: 'BAD_REQUEST', http: { status, ...http } } });

/**
 * Turns whatever a resolver throws into a ServiceError, where it is thrown. Later would be too late: graphql-js throws
 * a plain Error for a value that does not fit the schema, and a bug of ours could not be told from odd data of a
 * provider. Fields that only expose a property throw nothing, and stay as they are.
 */
export function wrapResolverErrors(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const { resolve, subscribe } = field;
      // A refused subscription is about the arguments of the field, under their GraphQL names.
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
  return (...args) => {
    try {
      const value: unknown = resolve(...args);
      return value instanceof Promise ? value.catch(rethrow) : value;
    } catch (error) {
      return rethrow(error);
    }
  };
}

const inGraphQL = (error: unknown): ServiceError => issuesInGraphQL(fromUnknown(error));
