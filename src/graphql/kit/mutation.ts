/**
 * Mutations. Each has one argument `input` and runs one operation. Its result union has a member for each success and
 * each failure that a caller must expect.
 */
import type { InputObjectRef, ObjectRef, UnionRef } from '@pothos/core';
import type { GraphQLField } from 'graphql';
import { ServiceError } from '../../kernel/errors.ts';
import { type AnyOperation, run } from '../../kernel/operation.ts';
import { writes } from '../cost/weights.ts';
import type { GraphQLContext } from '../graphql-context.ts';
import { builder } from './builder.ts';
import { issuesInGraphQL, toSnakeCase } from './contract-mapping.ts';
import { type DataFamily, type ExpectedError, errorTypes, Failure } from './error-types.ts';
import { type IdPlaces, idPlacesOf, withRawIds } from './id-arguments.ts';

/** The contract's results state their type in `object`. Their GraphQL types have the same names. */
interface Result {
  readonly object: string;
}

type Types = (typeof builder)['$inferSchemaTypes'];

/** The object type of each member of `Success`. */
type SuccessType<Success> = Success extends Result ? ObjectRef<Types, Success> : never;

/** A result union, and the families of failures that are its members. */
interface MutationResult<Success extends Result> {
  readonly type: UnionRef<Types, Result | Failure>;
  readonly failures: readonly DataFamily[];
  /** Exists in the types only: what a mutation with this result may return. */
  readonly success?: Success;
}

/**
 * Declares the result union of a mutation: its success types, and the error types of the families that it returns as
 * data. Other failures are top-level errors.
 */
export function mutationResult<Success extends Result>(
  name: string,
  description: string,
  success: readonly SuccessType<Success>[],
  failures: readonly DataFamily[],
): MutationResult<Success> {
  const types: ObjectRef<Types, Result | Failure>[] = [...success, ...failures.map((family) => errorTypes[family])];
  const type = builder.unionType(name, {
    description,
    types,
    resolveType: (value) => {
      const result: Failure | Result = value;
      return result instanceof Failure ? errorTypes[result.error.family].name : result.object;
    },
  });
  return { type, failures };
}

interface Mutation<Input extends object, Output, Success extends Result> {
  /** What the mutation does. The operation's scope is appended. */
  readonly description: string;
  readonly input: InputObjectRef<Types, Input>;
  readonly inputDescription: string;
  readonly result: MutationResult<Success>;
  readonly operation: AnyOperation<Output>;
  /** The operation's request, with every null: the shape refuses it. By default fields keep their names, in snake_case. */
  readonly toRequest?: (input: Input) => object;
}

/** Turns the output into a success of the result union, if that shows more than the operation returns. */
type ToSuccess<Input, Output, Success> = (output: Output, input: Input) => Success;

type Presentation<Input, Output, Success> = Output extends Success
  ? { readonly toSuccess?: undefined }
  : { readonly toSuccess: ToSuccess<Input, Output, Success> };

/** Adds a mutation to the schema. */
export function mutationField<Input extends object, Output extends Result, Success extends Result>(
  name: string,
  mutation: Mutation<Input, Output, Success> & Presentation<Input, Output, Success>,
): void {
  const { description, input, inputDescription, result, operation, toSuccess } = mutation;
  const { toRequest = toSnakeCase } = mutation;
  const perform = async (sent: Input, context: GraphQLContext, places: IdPlaces): Promise<Result | Failure> => {
    let request: object | undefined;
    try {
      const given = withRawIds(sent, places);
      request = toRequest(given);
      const output = await run(operation, context.ports, context, request);
      return toSuccess === undefined ? output : toSuccess(output, given);
    } catch (error) {
      const failure = error instanceof ServiceError ? issuesInGraphQL(error, request, ['input']) : error;
      if (!isExpected(failure, result.failures)) throw error;
      return new Failure(failure);
    }
  };
  builder.mutationField(name, (t) =>
    t.field({
      type: result.type,
      // A failure at the top makes its own field null. In a field that cannot be null it would hide what the others did.
      nullable: true,
      description: `${description} Scope: \`${operation.scope}\`.`,
      extensions: writes,
      args: { input: t.arg({ type: input, required: true, description: inputDescription }) },
      // The type of the arguments is not resolved while Input is generic.
      resolve: (_root, args, context, { parentType, fieldName }) =>
        perform((args as { readonly input: Input }).input, context, placesOfInput(parentType.getFields()[fieldName])),
    }),
  );
}

/** Where ids stand in the argument `input` of a mutation. */
function placesOfInput(field: GraphQLField<unknown, unknown> | undefined): IdPlaces {
  const places = field === undefined ? undefined : idPlacesOf(field).input;
  return typeof places === 'object' ? places : {};
}

const isExpected = (error: unknown, families: readonly DataFamily[]): error is ExpectedError =>
  error instanceof ServiceError && families.some((family) => family === error.family);
