/**
 * Expected failures of mutations as data: an error type for each family of the error table, all of which implement
 * `ServiceError`.
 */
import type { ObjectRef } from '@pothos/core';
import type { ErrorFamily, Issue, ServiceError } from '../errors.ts';
import { builder } from './builder.ts';

/** A failure as an answer. Not an Error itself: graphql-js throws an Error that a resolver returns. */
export class Failure {
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
export const errorTypes = {
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

export const errorTypeNames = Object.fromEntries(
  Object.entries(errorTypes).map(([family, { name }]) => [family, name]),
) as Record<DataFamily, string>;
