/**
 * Expected failures of mutations as data: an error type for each family of the error table, all of which implement
 * `ServiceError`.
 *
 * Why not `@pothos/plugin-errors`: it selects the GraphQL type by the class of the Error. Failures here are of one
 * class, and the family in the error table selects the type, for REST and OpenAPI too.
 */
import type { ObjectRef } from '@pothos/core';
import {
  type ErrorFamily,
  type ErrorName,
  errorNames,
  errorTable,
  type Issue,
  type ServiceError,
} from '../../kernel/errors.ts';
import { listOf } from '../cost/weights.ts';
import { builder } from './builder.ts';
import { contractEnum } from './enums.ts';

/** A family whose failures a mutation may return as data. */
export type DataFamily = Exclude<ErrorFamily, 'key' | 'system'>;

/** A failure that a mutation may return as data. */
export type ExpectedError = ServiceError & { readonly family: DataFamily };

/** A failure as a result. Not an Error itself: graphql-js throws an Error that a resolver returns. */
export class Failure {
  readonly error: ExpectedError;

  constructor(error: ExpectedError) {
    this.error = error;
  }
}

const ErrorCode = contractEnum(
  'ErrorCode',
  'Every type of error: the `code` of a `ServiceError`, and of the `extensions` of a top-level error.',
  // Object.fromEntries does not keep the types of keys.
  Object.fromEntries(
    errorNames.map((name) => [name, `${errorTable[name].title}: \`errors/${name}\`, ${errorTable[name].status}.`]),
  ) as Record<ErrorName, string>,
);

const ServiceErrorInterface = builder.interfaceRef<Failure>('ServiceError').implement({
  description: 'An expected failure that a caller can handle.',
  fields: (t) => ({
    code: t.field({
      type: ErrorCode,
      description: 'The type of error, for a `switch`: `RESOURCE_NOT_FOUND` for `errors/resource_not_found`.',
      resolve: ({ error }) => error.errorName,
    }),
    type: t.string({
      description: 'The type of error as the REST endpoints have it, such as `errors/resource_not_found`.',
      resolve: ({ error }) => error.type,
    }),
    status: t.int({
      description: 'HTTP status of this error on the REST endpoints.',
      resolve: ({ error }) => error.status,
    }),
    title: t.string({ description: 'Short summary of the type of error.', resolve: ({ error }) => error.title }),
    detail: t.string({
      nullable: true,
      description: 'Human-readable explanation of this occurrence.',
      resolve: ({ error }) => error.detail,
    }),
    instance: t.string({
      description: 'Id of this request, also in the `x-request-id` header. Include it when you contact support.',
      resolve: (_failure, _args, context) => context.requestId,
    }),
    message: t.string({
      description: 'The `detail`, or the `title` if there is no detail.',
      resolve: ({ error }) => error.message,
    }),
  }),
});

const RequestIssue = builder.objectRef<Issue>('RequestIssue').implement({
  description: 'One invalid field of a request.',
  fields: (t) => ({
    path: t.stringList({
      extensions: listOf(5),
      description: 'Path to the field: names of arguments and fields, and indexes of lists, from the outside in.',
      resolve: ({ path }) => path.map(String),
    }),
    message: t.exposeString('message', {
      description: 'What is wrong with the field, as the rest of a sentence that starts with the path.',
    }),
  }),
});

const errorType = (name: string, description: string): ObjectRef<(typeof builder)['$inferSchemaTypes'], Failure> =>
  builder.objectRef<Failure>(name).implement({ description, interfaces: [ServiceErrorInterface] });

const InvalidRequestError = builder.objectRef<Failure>('InvalidRequestError').implement({
  description: 'The request is invalid. Correct it before you send it again.',
  interfaces: [ServiceErrorInterface],
  fields: (t) => ({
    issues: t.field({
      type: [RequestIssue],
      extensions: listOf(50),
      description: 'The invalid fields; empty if the error is not about particular fields.',
      resolve: ({ error }) => [...error.issues],
    }),
  }),
});

/** The type of each family whose failures are data. */
export const errorTypes = {
  request: InvalidRequestError,
  not_found: errorType(
    'NotFoundError',
    'An object that the request refers to does not exist, or the API key cannot access it.',
  ),
  account: errorType(
    'AccountError',
    'The account cannot do this: it is disconnected, expired, restricted, of the wrong type or inaccessible to the key.',
  ),
  checkpoint: errorType(
    'CheckpointError',
    'The checkpoint was not solved: the input is wrong, the link has expired or no checkpoint is open.',
  ),
  payment: errorType(
    'PaymentError',
    'The job cannot be promoted: the payment failed, or the account lacks credits or job slots.',
  ),
  performed: errorType(
    'ActionAlreadyPerformedError',
    'The action has already been performed or is no longer possible.',
  ),
} as const satisfies Record<DataFamily, unknown>;
