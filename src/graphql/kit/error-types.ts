/**
 * Expected failures of mutations as data: an error type per family of the error table, all implementing `ServiceError`.
 *
 * Why not `@pothos/plugin-errors`: it selects the GraphQL type by the class of the Error. Here one class has families,
 * which select the type in REST and OpenAPI too.
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
import { issueCodes } from '../../kernel/issue-codes.ts';
import { listOf } from '../cost/weights.ts';
import { builder, type SchemaTypes } from './builder.ts';
import { contractEnum } from './enums.ts';

export type DataFamily = Exclude<ErrorFamily, 'key' | 'system'>;

export type ExpectedError = ServiceError & { readonly family: DataFamily };

/** A failure as a result. No Error: the executor throws an Error that a resolver returns. */
export class Failure {
  readonly error: ExpectedError;

  constructor(error: ExpectedError) {
    this.error = error;
  }
}

const ErrorCodeEnum = contractEnum(
  'ErrorCode',
  'Every type of error: the `code` of a `ServiceError`, and of the `extensions` of a top-level error.',
  // Object.fromEntries loses the types of keys.
  Object.fromEntries(
    errorNames.map((name) => [name, `${errorTable[name].title}: \`errors/${name}\`, ${errorTable[name].status}.`]),
  ) as Record<ErrorName, string>,
);

const ServiceErrorInterface = builder.interfaceRef<Failure>('ServiceError').implement({
  description: 'An expected failure that a caller can handle.',
  fields: (t) => ({
    code: t.field({
      type: ErrorCodeEnum,
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

const IssueCodeEnum = contractEnum('IssueCode', 'What is wrong with a field of a request.', issueCodes);

const RequestIssue = builder.objectRef<Issue>('RequestIssue').implement({
  description:
    'One invalid field of a request. A top-level error about variables or arguments has issues of the same shape in `extensions.issues`.',
  fields: (t) => ({
    path: t.stringList({
      extensions: listOf(5),
      description: 'Path to the field: names of arguments and fields, and indexes of lists, from the outside in.',
      resolve: ({ path }) => path.map(String),
    }),
    code: t.expose('code', {
      type: IssueCodeEnum,
      description: 'What is wrong, for a page that says it in its own words.',
    }),
    limit: t.exposeFloat('limit', {
      nullable: true,
      description:
        'The bound that the code is about, such as the most characters of a text. Null for a code without one.',
    }),
    message: t.exposeString('message', {
      description: 'What is wrong with the field, as the rest of a sentence that starts with the path.',
    }),
  }),
});

const errorType = (name: string, description: string): ObjectRef<SchemaTypes, Failure> =>
  builder.objectRef<Failure>(name).implement({ description, interfaces: [ServiceErrorInterface] });

/** An error of which a form tells its user beside the field. */
const formErrorType = (name: string, description: string, issues: string): ObjectRef<SchemaTypes, Failure> =>
  builder.objectRef<Failure>(name).implement({
    description,
    interfaces: [ServiceErrorInterface],
    fields: (t) => ({
      issues: t.field({
        type: [RequestIssue],
        extensions: listOf(50),
        description: issues,
        resolve: ({ error }) => [...error.issues],
      }),
    }),
  });

export const errorTypes = {
  request: formErrorType(
    'InvalidRequestError',
    'The request is invalid. Correct it before you send it again.',
    'The invalid fields; empty if the error is not about particular fields.',
  ),
  not_found: errorType(
    'NotFoundError',
    'An object that the request refers to does not exist, or the API key cannot access it.',
  ),
  account: errorType(
    'AccountError',
    'The account cannot do this: it is disconnected, expired, restricted, of the wrong type or inaccessible to the key.',
  ),
  checkpoint: formErrorType(
    'CheckpointError',
    'The checkpoint was not solved: the input is wrong or malformed, the link has expired or no checkpoint is open.',
    'What is wrong with the input; empty if the error is not about it.',
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
