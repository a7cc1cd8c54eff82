/**
 * Expected failures of mutations as data: types that implement `ServiceError`, one of its own only for failures with something
 * more to read.
 *
 * Why not `@pothos/plugin-errors`: it selects the GraphQL type by the class of the Error. Here one class has families.
 */
import type { ObjectRef } from '@pothos/core';
import {
  type ErrorFamily,
  type ErrorName,
  errorNames,
  errorTable,
  type Issue,
  ServiceError,
} from '../../kernel/errors.ts';
import { issueCodes } from '../../kernel/issue-codes.ts';
import { listOf } from '../cost/weights.ts';
import { builder, type SchemaTypes } from './builder.ts';
import { contractEnum } from './enums.ts';

export type ExpectedError = ServiceError & { readonly family: Exclude<ErrorFamily, 'key' | 'system'> };

export const isExpectedError = (error: unknown): error is ExpectedError =>
  error instanceof ServiceError && error.family !== 'key' && error.family !== 'system';

/** A failure as a result. No Error: the executor throws an Error that a resolver returns. */
export class Failure {
  readonly error: ExpectedError;

  constructor(error: ExpectedError) {
    this.error = error;
  }
}

const ErrorCodeEnum = contractEnum(
  'ErrorCode',
  'What has failed: the `code` of a `ServiceError`, and of the `extensions` of a top-level error.',
  // Object.fromEntries loses the types of keys.
  Object.fromEntries(
    errorNames.map((name) => [name, `${errorTable[name].title} (${errorTable[name].status}).`]),
  ) as Record<ErrorName, string>,
);

const ServiceErrorInterface = builder.interfaceRef<Failure>('ServiceError').implement({
  description: 'A failure of a mutation that a caller can handle. The `extensions` of a top-level error have the same.',
  fields: (t) => ({
    code: t.field({
      type: ErrorCodeEnum,
      description: 'What has failed, for a `switch`.',
      resolve: ({ error }) => error.errorName,
    }),
    message: t.string({
      description: 'What has failed, in a sentence for developers.',
      resolve: ({ error }) => error.message,
    }),
    requestId: t.id({
      description: 'Id of this request, as in the `x-request-id` header. Include it when you contact support.',
      resolve: (_failure, _args, context) => context.requestId,
    }),
    status: t.int({
      description: 'HTTP status of this failure on the REST endpoints.',
      resolve: ({ error }) => error.status,
    }),
  }),
});

const IssueCodeEnum = contractEnum(
  'IssueCode',
  'What is wrong with a field of a request, as its user would be told.',
  issueCodes,
);

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
      description: 'The bound that the code is about, such as the most characters of a text. Null where there is none.',
    }),
    message: t.exposeString('message', {
      description: 'What is wrong with the field, as the rest of a sentence that starts with the path.',
    }),
  }),
});

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
  checkpoint: formErrorType(
    'CheckpointError',
    'The checkpoint was not solved: the solution is wrong or malformed, the link has expired or no checkpoint is open.',
    'What is wrong with the solution; empty if the error is not about it.',
  ),
  other: builder.objectRef<Failure>('RequestError').implement({
    description: 'The request is valid, and cannot be carried out. The `code` says why.',
    interfaces: [ServiceErrorInterface],
  }),
} as const;

export type ErrorMember = keyof typeof errorTypes;

/** @param members those of the union. @returns the one that has the failure */
export const memberOf = ({ error: { family } }: Failure, members: readonly ErrorMember[]): ErrorMember =>
  members.find((member) => member === family) ?? 'other';
