/**
 * Failures as top-level errors, with the contract's envelope in their extensions: everything that is not an expected
 * failure of a mutation.
 */
import { GraphQLError, type GraphQLSchema, isObjectType } from 'graphql';
import { fromUnknown, type ServiceError, toEnvelope } from '../errors.ts';

/** A failure as a top-level error: its extensions are the contract's envelope. */
export function toGraphQLError(error: ServiceError, requestId: string, at?: GraphQLError): GraphQLError {
  return new GraphQLError(error.message, {
    ...(at === undefined ? {} : { nodes: at.nodes, source: at.source, positions: at.positions, path: at.path }),
    originalError: error,
    extensions: {
      ...toEnvelope(error, requestId),
      ...(error.issues.length === 0 ? {} : { issues: error.issues }),
      // A client that never got past the key gets the status too; other failures leave data beside them.
      ...(error.family === 'key' ? { http: { status: error.status } } : {}),
    },
  });
}

/**
 * Makes whatever a resolver throws a ServiceError, where it is thrown: an executor's complaint about a value that does
 * not fit the schema is a plain Error too, and nothing else would tell a bug of ours from an odd answer of a network.
 * Fields that only expose a property throw nothing, and stay as they are.
 */
export function wrapResolverErrors(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const { resolve } = field;
      if (resolve === undefined || field.extensions.pothosExposedField !== undefined) continue;
      field.resolve = (...args) => {
        try {
          const value: unknown = resolve(...args);
          return value instanceof Promise ? value.catch(rethrow) : value;
        } catch (error) {
          return rethrow(error);
        }
      };
    }
  }
  return schema;
}

function rethrow(error: unknown): never {
  throw fromUnknown(error);
}
