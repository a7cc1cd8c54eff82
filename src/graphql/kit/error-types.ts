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

type ExpectedError = ServiceError & { readonly family: Exclude<ErrorFamily, 'key' | 'system'> };

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
  'What has failed, with its status in REST.',
  // Object.fromEntries loses the types of keys.
  Object.fromEntries(errorNames.map((name) => [name, `HTTP ${errorTable[name].status}.`])) as Record<ErrorName, string>,
);

const ServiceErrorInterface = builder.interfaceRef<Failure>('ServiceError').implement({
  description: 'A failure that a caller can handle.',
  fields: (t) => ({
    code: t.field({
      type: ErrorCodeEnum,
      description: 'What has failed.',
      resolve: ({ error }) => error.errorName,
    }),
    message: t.string({
      description: 'A sentence for developers.',
      resolve: ({ error }) => error.message,
    }),
    requestId: t.id({
      description: 'Id of the request, for support.',
      resolve: (_failure, _args, context) => context.requestId,
    }),
    status: t.int({
      description: 'HTTP status in REST.',
      resolve: ({ error }) => error.status,
    }),
  }),
});

const IssueCodeEnum = contractEnum('IssueCode', 'What is wrong with a field of a request.', issueCodes);

const RequestIssue = builder.objectRef<Issue>('RequestIssue').implement({
  description: 'An invalid field. Top-level errors have issues in `extensions.issues`.',
  fields: (t) => ({
    path: t.stringList({
      extensions: listOf(5),
      description: 'Path to the field: names, and indexes of lists.',
      resolve: ({ path }) => path.map(String),
    }),
    code: t.expose('code', {
      type: IssueCodeEnum,
      description: 'What is wrong, to say it in your own words.',
    }),
    limit: t.exposeFloat('limit', {
      nullable: true,
      description: 'Bound that the code is about; null if it is about none.',
    }),
    message: t.exposeString('message', {
      description: 'Rest of a sentence that starts with the path.',
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
    'The request is invalid: correct it.',
    'Invalid fields; empty if the error is about none.',
  ),
  checkpoint: formErrorType(
    'CheckpointError',
    'The checkpoint was not solved.',
    'What is wrong with the solution; empty if it is something else.',
  ),
  other: builder.objectRef<Failure>('RequestError').implement({
    description: 'The request is valid, but cannot be carried out.',
    interfaces: [ServiceErrorInterface],
  }),
} as const;

export type ErrorMember = keyof typeof errorTypes;

/** @param members those of the union. @returns the one that has the failure */
export const memberOf = ({ error: { family } }: Failure, members: readonly ErrorMember[]): ErrorMember =>
  members.find((member) => member === family) ?? 'other';
