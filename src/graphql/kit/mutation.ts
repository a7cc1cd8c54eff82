/** Mutations: one argument `input`, one operation, and a result union of successes and expected failures. */
import type { InputObjectRef, ObjectRef, UnionRef } from '@pothos/core';
import { type GraphQLField, type GraphQLInputType, getNullableType, isInputObjectType, isListType } from 'graphql';
import { requireScope } from '../../kernel/caller.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/lib/objects.ts';
import { type AnyOperation, run } from '../../kernel/operation.ts';
import { together } from '../../kernel/parse.ts';
import { writes } from '../cost/weights.ts';
import type { GraphQLContext } from '../graphql-context.ts';
import { builder, type SchemaTypes } from './builder.ts';
import { issuesInGraphQL, toSnakeCase } from './contract-mapping.ts';
import { type ErrorMember, errorTypes, Failure, isExpectedError, memberOf } from './error-types.ts';
import { type IdPlaces, idPlacesOf, withRawIds } from './global-ids.ts';
import { performOnce, readKey } from './idempotent-mutation.ts';

/** The contract's results name their type in `object`, as GraphQL does. */
interface Result {
  readonly object: string;
}

/** The object type of each member of `Success`. */
type SuccessType<Success> = Success extends Result ? ObjectRef<SchemaTypes, Success> : never;

interface MutationResult<Success extends Result> {
  readonly type: UnionRef<SchemaTypes, Result | Failure>;
  /** Type only: the successes of the result. */
  readonly success?: Success;
}

/** Declares a result union: success types, and error types. @param solves whether the input solves a checkpoint */
export function mutationResult<Success extends Result>(
  name: string,
  description: string,
  success: readonly SuccessType<Success>[],
  { solves = false }: { readonly solves?: boolean } = {},
): MutationResult<Success> {
  const members: readonly ErrorMember[] = solves ? ['request', 'checkpoint', 'other'] : ['request', 'other'];
  const types: ObjectRef<SchemaTypes, Result | Failure>[] = [
    ...success,
    ...members.map((member) => errorTypes[member]),
  ];
  const type = builder.unionType(name, {
    description,
    types,
    resolveType: (value) => {
      const result: Failure | Result = value;
      return result instanceof Failure ? errorTypes[memberOf(result, members)].name : result.object;
    },
  });
  return { type };
}

interface Mutation<Input extends object, Output, Success extends Result> {
  readonly description: string;
  readonly input: InputObjectRef<SchemaTypes, Input>;
  readonly inputDescription: string;
  readonly result: MutationResult<Success>;
  readonly operation: AnyOperation<Output>;
  /** What the request cannot say. @throws ServiceError with issues of the input */
  readonly refuse?: (input: Input) => void;
  /** The operation's request. By default the fields in snake_case. */
  readonly toRequest?: (input: Input) => object;
  /** Whether the input has an `idempotencyKey`, which is none of the operation's. */
  readonly oncePerKey?: true;
  /** Set for a change, where null could mean "remove" or "all": its shape refuses it. Elsewhere null is as good as none. */
  readonly refusesNull?: true;
}

/** @param repeated whether an idempotency key was used before */
type ToSuccess<Input, Output, Success> = (output: Output, input: Input, repeated: boolean) => Success;

type OutputMapping<Input, Output, Success> = Output extends Success
  ? { readonly toSuccess?: undefined }
  : { readonly toSuccess: ToSuccess<Input, Output, Success> };

export function mutationField<Input extends object, Output extends Result, Success extends Result>(
  name: string,
  mutation: Mutation<Input, Output, Success> & OutputMapping<Input, Output, Success>,
): void {
  const { description, input, inputDescription, result, operation, toSuccess } = mutation;
  const { refuse, toRequest = toSnakeCase, oncePerKey = false, refusesNull = false } = mutation;
  let places: InputPlaces | undefined;
  const perform = async (
    sent: Input,
    context: GraphQLContext,
    { type, ids }: InputPlaces,
  ): Promise<Result | Failure> => {
    let request: object | undefined;
    try {
      requireScope(context.caller, operation.scope);
      // Of the same type: what is left out may be.
      const withIds = refusesNull ? sent : (withoutNulls(sent, type) as Input);
      const { errors, tried } = collectRefusals();
      const given = tried(() => withRawIds(withIds, ids), withIds);
      tried(() => refuse?.(given), undefined);
      const mapped = toRequest(given);
      const sentKey = oncePerKey ? takeKey(mapped) : undefined;
      const key = tried(() => readKey(sentKey), undefined);
      if (errors.length > 0) {
        const ownRules = !context.ports.serviceJudges(operation.scope);
        tried(() => operation.check(mapped, ownRules), undefined, mapped);
        throw together(errors);
      }
      request = mapped;
      const { output, repeated } = oncePerKey
        ? await performOnce({ operation, name, key, request }, context)
        : { output: await run(operation, context.ports, context, request), repeated: false };
      return toSuccess === undefined ? output : toSuccess(output, given, repeated);
    } catch (error) {
      const failure = error instanceof ServiceError ? issuesInGraphQL(error, request, ['input']) : error;
      if (!isExpectedError(failure)) throw error;
      return new Failure(failure);
    }
  };
  builder.mutationField(name, (t) =>
    t.field({
      type: result.type,
      // A failed mutation nulls its own field only: in a non-null field it would hide the others' results.
      nullable: true,
      description,
      runs: operation,
      extensions: writes,
      args: { input: t.arg({ type: input, required: true, description: inputDescription }) },
      // The type of the arguments is not resolved while Input is generic.
      resolve: (_root, args, context, { parentType, fieldName }) => {
        places ??= placesOfInput(parentType.getFields()[fieldName]);
        return perform((args as { readonly input: Input }).input, context, places);
      },
    }),
  );
}

/** What checks throw, with paths of the input: a form shows all issues at once. */
function collectRefusals() {
  const errors: ServiceError[] = [];
  return {
    errors,
    /** @param otherwise stands for the result of a check that throws. @param request of which its issues are */
    tried<Result>(check: () => Result, otherwise: Result, request?: object): Result {
      try {
        return check();
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        errors.push(issuesInGraphQL(error, request));
        return otherwise;
      }
    },
  };
}

/** The idempotency key, which the request then has no more: it is none of the operation's. */
function takeKey(request: object): unknown {
  const key: unknown = Reflect.get(request, 'idempotency_key');
  Reflect.deleteProperty(request, 'idempotency_key');
  return key;
}

interface InputPlaces {
  readonly type: GraphQLInputType;
  readonly ids: IdPlaces;
}

function placesOfInput(field: GraphQLField<unknown, unknown> | undefined): InputPlaces {
  const type = field?.args.find(({ name }) => name === 'input')?.type;
  if (field === undefined || type === undefined) throw new Error('A mutation has no input');
  const ids = idPlacesOf(field).input;
  return { type, ids: typeof ids === 'object' ? ids : {} };
}

/** Null is the default, or as good as none. Open JSON stays as it is. */
function withoutNulls(value: unknown, type: GraphQLInputType): unknown {
  const of = getNullableType(type);
  if (isListType(of)) return Array.isArray(value) ? value.map((each) => withoutNulls(each, of.ofType)) : value;
  if (!isInputObjectType(of) || !isObject(value)) return value;
  const given: Record<string, unknown> = {};
  for (const { name, type: inner, defaultValue } of Object.values(of.getFields())) {
    const each = value[name] ?? defaultValue;
    if (each !== undefined && each !== null) given[name] = withoutNulls(each, inner);
  }
  return given;
}
