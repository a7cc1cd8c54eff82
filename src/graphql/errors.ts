/**
 * Failures in GraphQL. What a caller of a mutation must expect is data: its result is a union of success types and of
 * error types, one for each family of the error table. Everything else is a top-level error with the contract's
 * envelope in its extensions.
 */
import type { ObjectRef } from '@pothos/core';
import { GraphQLError, type GraphQLSchema, isObjectType } from 'graphql';
import { type ErrorFamily, fromUnknown, type Issue, ServiceError, toEnvelope } from '../errors.ts';
import { builder } from './builder.ts';
import type { Context } from './context.ts';
import { inGraphQLWords } from './words.ts';

/** A failure as an answer. Not an Error itself: graphql-js throws an Error that a resolver returns. */
class Failure {
  readonly error: ServiceError;

  constructor(error: ServiceError) {
    this.error = error;
  }
}

const ServiceErrorInterface = builder.interfaceRef<Failure>('ServiceError').implement({
  description: 'A failure that a caller can expect and act on, in the terms of the contract.',
  fields: (t) => ({
    type: t.string({
      description: 'What went wrong, as an identifier to branch on: `errors/resource_not_found`, for example.',
      resolve: ({ error }) => error.type,
    }),
    status: t.int({
      description: 'The HTTP status that the REST endpoints answer with this error.',
      resolve: ({ error }) => error.status,
    }),
    title: t.string({ description: 'Short title of the type of error.', resolve: ({ error }) => error.title }),
    detail: t.string({
      nullable: true,
      description: 'What went wrong this time, for a person to read.',
      resolve: ({ error }) => error.detail,
    }),
    instance: t.string({
      description: 'The id of this request, to give to support; also in the `x-request-id` header.',
      resolve: (_failure, _args, context) => context.requestId,
    }),
    message: t.string({
      description: 'The detail, or the title where there is none.',
      resolve: ({ error }) => error.message,
    }),
  }),
});

const RequestIssue = builder.objectRef<Issue>('RequestIssue').implement({
  description: 'One thing that is wrong with a request.',
  fields: (t) => ({
    path: t.stringList({
      description: 'Where: names of arguments and fields, and indexes of lists, from the outside in.',
      resolve: ({ path }) => path.map(String),
    }),
    message: t.exposeString('message', { description: 'What, as the rest of a sentence that starts with the path.' }),
  }),
});

const errorType = (name: string, description: string): ObjectRef<(typeof builder)['$inferSchemaTypes'], Failure> =>
  builder.objectRef<Failure>(name).implement({ description, interfaces: [ServiceErrorInterface] });

const InvalidRequestError = builder.objectRef<Failure>('InvalidRequestError').implement({
  description: 'The request cannot be carried out as it is: change it before sending it again.',
  interfaces: [ServiceErrorInterface],
  fields: (t) => ({
    issues: t.field({
      type: [RequestIssue],
      description: 'What is wrong with the request, field by field; empty where no single field is to blame.',
      resolve: ({ error }) => [...error.issues],
    }),
  }),
});

/** The families whose failures are data, and the type of each. */
const errorTypes = {
  request: InvalidRequestError,
  not_found: errorType(
    'NotFoundError',
    'Something that the request names does not exist, or cannot be seen with this key.',
  ),
  account: errorType(
    'AccountError',
    'The connected account cannot do this: it is disconnected, expired, restricted, of the wrong kind, or out of reach of this key.',
  ),
  checkpoint: errorType(
    'CheckpointError',
    'The checkpoint was not passed: the input was wrong, the link has expired, or no checkpoint is open.',
  ),
  payment: errorType(
    'PaymentError',
    'The job cannot be promoted: the payment failed, or credits or slots are lacking.',
  ),
  performed: errorType(
    'ActionAlreadyPerformedError',
    'It has been done before, or is being done at this moment, or its time has passed.',
  ),
} as const satisfies Partial<Record<ErrorFamily, unknown>>;

/** A family whose failures a mutation may answer as data. */
export type DataFamily = keyof typeof errorTypes;

const typeNames = Object.fromEntries(Object.entries(errorTypes).map(([family, { name }]) => [family, name])) as Record<
  DataFamily,
  string
>;

/** The contract's results say in `object` what they are, and that is the name of their GraphQL type. */
interface Result {
  readonly object: string;
}

/**
 * The result of a mutation: one of its success types, or an error of one of `failures`.
 * @returns the union, and `attempt`, which turns a failure of these families into an answer
 */
export function mutationResult<Success extends Result>(
  name: string,
  description: string,
  success: readonly ObjectRef<(typeof builder)['$inferSchemaTypes'], Success>[],
  failures: readonly DataFamily[],
) {
  const type = builder.unionType(name, {
    description,
    types: [...success, ...failures.map((family) => errorTypes[family])],
    resolveType: (value) => {
      const result: Failure | Result = value;
      return result instanceof Failure ? typeNames[result.error.family as DataFamily] : result.object;
    },
  });
  /** @param request what the operation was given, in the words of the contract: issues are named after it */
  const attempt = async <T extends Success>(request: unknown, work: Promise<T>): Promise<T | Failure> => {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof ServiceError) || !(failures as readonly ErrorFamily[]).includes(error.family)) throw error;
      return new Failure(inGraphQLWords(error, request, ['input']));
    }
  };
  return { type, attempt };
}

/** A failure as a top-level error: its extensions are the contract's envelope. */
export function toGraphQLError(error: ServiceError, requestId: Context['requestId'], at?: GraphQLError): GraphQLError {
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
export function nameFailures(schema: GraphQLSchema): GraphQLSchema {
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
