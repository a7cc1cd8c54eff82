/**
 * Executes operations by their resolvers (GraphQL, section 6), with the results of graphql-js. Fields, arguments and the
 * completion of values depend on the operation alone, so they are determined once for each type that it selects. graphql-js
 * determines them for each object anew, which took most of the time of a page; and V8 makes hash tables of its results.
 */
import {
  type DocumentNode,
  defaultTypeResolver,
  type ExecutionResult,
  type GraphQLAbstractType,
  type GraphQLError,
  type GraphQLObjectType,
  type GraphQLOutputType,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  locatedError,
  OperationTypeNode,
  type ResponsePath,
  responsePathAsArray,
  type SelectionSetNode,
} from 'graphql';
import { fragmentsOf, selectionSetsOf } from '../../cost/selections.ts';
import { OwnValues } from '../../documents/variables.ts';
import { type ExecutedOperation, ResolveInfo, type SelectedField, selectedFields } from './fields.ts';

export interface ExecuteOptions extends Omit<ExecutedOperation, 'fragments' | 'rootValue'> {
  readonly document: DocumentNode;
  /** The event of a subscription. */
  readonly rootValue?: unknown;
}

/** Errors of fields are in the result; it rejects for a bug only. */
export async function execute({ document, ...options }: ExecuteOptions): Promise<ExecutionResult> {
  return new Execution({ rootValue: undefined, ...options, fragments: fragmentsOf(document) }).run();
}

/** A value in the form of the response, or a promise of one. @throws the error of the value */
type Complete = (value: unknown, path: ResponsePath) => unknown;

/** Where a value stands: a field, or an entry of a list. */
interface Place {
  readonly field: SelectedField;
  readonly complete: Complete;
  readonly isNullable: boolean;
  /** Its path is made for an error only. */
  readonly isLeaf: boolean;
}

class Execution {
  readonly #executed: ExecutedOperation;
  readonly #errors: GraphQLError[] = [];
  /** Where errors have put null. */
  readonly #nulls = new Set<ResponsePath | undefined>();

  constructor(executed: ExecutedOperation) {
    this.#executed = executed;
  }

  async run(): Promise<ExecutionResult> {
    const { schema, operation, rootValue } = this.#executed;
    const root = schema.getRootType(operation.operation);
    if (!root) throw new Error(`The schema has no ${operation.operation}`);
    const isMutation = operation.operation === OperationTypeNode.MUTATION;
    let data: unknown = null;
    try {
      const places = this.#placesOf(root, [operation.selectionSet]);
      data = await (isMutation ? this.#oneByOne(places) : this.#object(places, rootValue, undefined));
    } catch (error) {
      // Only located errors leave a field.
      this.#addError(error as GraphQLError, undefined);
    }
    const result = { data: data as ExecutionResult['data'] };
    return this.#errors.length === 0 ? result : { errors: this.#errors, ...result };
  }

  async #oneByOne(places: readonly Place[]): Promise<unknown> {
    const object = new OwnValues();
    for (const place of places) object[place.field.name] = await this.#field(place, undefined, undefined);
    return object;
  }

  #object(places: readonly Place[], source: unknown, path: ResponsePath | undefined): unknown {
    const object = new OwnValues();
    const pending: string[] = [];
    try {
      for (const place of places) {
        const { name } = place.field;
        const value = this.#field(place, source, path);
        object[name] = value;
        if (isPromise(value)) pending.push(name);
      }
    } catch (error) {
      return failAfter(
        pending.map((name) => object[name]),
        error,
      );
    }
    if (pending.length === 0) return object;
    return Promise.all(pending.map((name) => object[name])).then((values) => {
      for (const [at, name] of pending.entries()) object[name] = values[at];
      return object;
    });
  }

  #field(place: Place, source: unknown, parent: ResponsePath | undefined): unknown {
    const { field } = place;
    let value: unknown;
    try {
      const info = new ResolveInfo(this.#executed, field, parent);
      value = field.resolve(source, field.args, this.#executed.context, info);
    } catch (error) {
      return this.#fail(place, error, pathTo(parent, field.name, field));
    }
    return this.#complete(place, value, parent, field.name);
  }

  /** @throws GraphQLError where null is not allowed */
  #complete(place: Place, value: unknown, parent: ResponsePath | undefined, key: string | number): unknown {
    const path = place.isLeaf && !isPromise(value) ? undefined : pathTo(parent, key, place.field);
    try {
      if (path === undefined) return place.complete(value, noPath);
      const completed = isPromise(value)
        ? value.then((later) => place.complete(later, path))
        : place.complete(value, path);
      return isPromise(completed)
        ? completed.then(undefined, (error: unknown) => this.#fail(place, error, path))
        : completed;
    } catch (error) {
      return this.#fail(place, error, path ?? pathTo(parent, key, place.field));
    }
  }

  #fail({ field, isNullable }: Place, error: unknown, path: ResponsePath): null {
    const located = locatedError(error, field.nodes, responsePathAsArray(path));
    if (!isNullable) throw located;
    this.#addError(located, path);
    return null;
  }

  /** Leaves out errors below a null that another error has put. */
  #addError(error: GraphQLError, path: ResponsePath | undefined): void {
    for (let place = path; place !== undefined; place = place.prev) if (this.#nulls.has(place)) return;
    if (this.#nulls.has(undefined)) return;
    this.#nulls.add(path);
    this.#errors.push(error);
  }

  #placesOf(type: GraphQLObjectType, sets: readonly SelectionSetNode[]): readonly Place[] {
    return selectedFields(this.#executed, type, sets).map((field) => this.#placeOf(field.type, field));
  }

  #placeOf(type: GraphQLOutputType, field: SelectedField): Place {
    const isNullable = !isNonNullType(type);
    const inner = isNonNullType(type) ? type.ofType : type;
    const completeInner = this.#completeOf(inner, field);
    const complete: Complete = (value, path) => {
      if (value instanceof Error) throw value;
      if (value !== null && value !== undefined) return completeInner(value, path);
      if (isNullable) return null;
      throw new Error(`${nameOf(field)} must not be null`);
    };
    return { field, complete, isNullable, isLeaf: isLeafType(inner) };
  }

  /** Info of the field, also for an entry of its lists. */
  #infoOf(field: SelectedField, path: ResponsePath): ResolveInfo {
    let own = path;
    while (typeof own.key === 'number' && own.prev !== undefined) own = own.prev;
    return new ResolveInfo(this.#executed, field, own.prev);
  }

  /** Completion of values other than null. */
  #completeOf(type: GraphQLOutputType, field: SelectedField): Complete {
    if (isLeafType(type)) {
      return (value) => {
        const serialized: unknown = type.serialize(value);
        if (serialized !== null && serialized !== undefined) return serialized;
        throw new Error(`${type.name} serialized ${nameOf(field)} to nothing`);
      };
    }
    if (isListType(type)) return this.#listOf(this.#placeOf(type.ofType, field));
    if (isAbstractType(type)) return this.#abstractOf(type, field);
    if (isObjectType(type)) return this.#objectOf(type, field);
    throw new Error(`${String(type)} is not an output type`);
  }

  #listOf(place: Place): Complete {
    return (value, path) => {
      if (!isIterable(value)) throw new Error(`${nameOf(place.field)} must be a list`);
      const completed: unknown[] = [];
      try {
        for (const item of value) completed.push(this.#complete(place, item, path, completed.length));
      } catch (error) {
        // Lists do not wait for their other entries, as in graphql-js. An error of theirs that nobody handled would end the process.
        for (const other of completed.filter(isPromise)) other.then(undefined, () => undefined);
        throw error;
      }
      return completed.some(isPromise) ? Promise.all(completed) : completed;
    };
  }

  #objectOf(type: GraphQLObjectType, field: SelectedField): Complete {
    let places: readonly Place[] | undefined;
    const completeFields = (value: unknown, path: ResponsePath) => {
      places ??= this.#placesOf(type, selectionSetsOf(field.nodes));
      return this.#object(places, value, path);
    };
    const { isTypeOf } = type;
    if (!isTypeOf) return completeFields;
    const requireType = (isOfType: boolean) => {
      if (!isOfType) throw new Error(`${nameOf(field)} is not of the type ${type.name}`);
    };
    return (value, path) => {
      const isOfType = isTypeOf(value, this.#executed.context, this.#infoOf(field, path));
      if (typeof isOfType !== 'boolean')
        return isOfType.then((later) => {
          requireType(later);
          return completeFields(value, path);
        });
      requireType(isOfType);
      return completeFields(value, path);
    };
  }

  #abstractOf(type: GraphQLAbstractType, field: SelectedField): Complete {
    const { schema, context } = this.#executed;
    const resolveType = type.resolveType ?? defaultTypeResolver;
    const known = new Map<unknown, Complete>();
    const completeAs = (name: unknown): Complete => {
      const found = known.get(name);
      if (found !== undefined) return found;
      const object = typeof name === 'string' ? schema.getType(name) : undefined;
      if (!isObjectType(object) || !schema.isSubType(type, object))
        throw new Error(`${nameOf(field)} is not of the type ${type.name}`);
      const complete = this.#objectOf(object, field);
      known.set(name, complete);
      return complete;
    };
    return (value, path) => {
      const name = resolveType(value, context, this.#infoOf(field, path), type);
      return isPromise(name) ? name.then((later) => completeAs(later)(value, path)) : completeAs(name)(value, path);
    };
  }
}

const nameOf = ({ parentType, definition }: SelectedField): string => `${parentType.name}.${definition.name}`;

/** For leaves, which look at no path. */
const noPath: ResponsePath = { prev: undefined, key: '', typename: undefined };

const pathTo = (prev: ResponsePath | undefined, key: string | number, { parentType }: SelectedField): ResponsePath => ({
  prev,
  key,
  typename: typeof key === 'string' ? parentType.name : undefined,
});

/**
 * Fails once the others have succeeded or one of them has failed, as graphql-js does: which errors come before the null
 * depends on it. An error of theirs that nobody handled would end the process.
 * @throws the error itself if there are no others
 */
function failAfter(pending: readonly unknown[], error: unknown): Promise<never> {
  if (pending.length === 0) throw error;
  const settled = Promise.all(pending).then(() => undefined);
  return settled.finally(() => {
    throw error;
  }) as Promise<never>;
}

/** Resolvers may return promises of other libraries. */
const isPromise = (value: unknown): value is PromiseLike<never> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';

const isIterable = (value: unknown): value is Iterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.iterator in value;
