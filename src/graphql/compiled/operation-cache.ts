/** The operations that clients send, compiled and with their costs: each is looked into once. */
import {
  type DocumentNode,
  type GraphQLSchema,
  Kind,
  NoSchemaIntrospectionCustomRule,
  type OperationDefinitionNode,
  OperationTypeNode,
  print,
  validate,
  visit,
} from 'graphql';
import { BoundedMap } from '../../bounded-map.ts';
import type { Ports } from '../../ports.ts';
import { isIntrospection } from '../cost/introspection.ts';
import { chosenOperation, operationCost } from '../cost/operation-cost.ts';
import { listSourceOf } from '../list-source.ts';
import { schema } from '../schema.ts';
import { compileVariables, type ReadValues, type Values } from './arguments.ts';
import { type EncodedOperation, encodeOperation } from './encoded-operation.ts';
import { Fallback } from './fallback.ts';
import { compileOperation } from './operation.ts';

export interface OperationCacheOptions {
  readonly ports: Ports;
  readonly maxCost: number;
  /** Whether the schema can be read. */
  readonly introspection: boolean;
}

/** What is known of an operation, whatever the values of its variables. */
export interface KnownOperation {
  readonly document: DocumentNode;
  /** Tells what is cached of it from what is cached of others. */
  readonly id: number;
  readonly operation: OperationDefinitionNode;
  readonly valuesOf: ReadValues;
  /** The variables whose values decide what is selected. Each must have one. */
  readonly deciding: readonly string[];
  /** Those and the ones that may be the size of a page: the variables that decide the cost. */
  readonly weighing: readonly string[];
  /** Why the executor refuses it, or null. Looked into when it is first asked for. */
  readonly refusal: () => Fallback | null;
}

/**
 * How many are kept in all. Clients choose documents and values, so that there may be any number, and a compiled operation
 * may be large (see operation.ts).
 */
const maxCompiled = 200;
const maxCosts = 4_000;

export interface OperationCache {
  /**
   * The operation of a document that a request chooses.
   * @throws Fallback for one that the executor serves whatever its variables are
   */
  find(document: DocumentNode, operationName: string | null): KnownOperation;
  /**
   * As in the executor, the cost is checked before an operation is validated.
   * @throws Fallback for an operation that is too expensive with these values, or that is not valid
   */
  check(operation: KnownOperation, values: Values): void;
  /** @throws Fallback for an operation that a plan cannot say */
  compiledFor(operation: KnownOperation, values: Values): EncodedOperation;
}

export function createOperationCache({ ports, maxCost, introspection }: OperationCacheOptions): OperationCache {
  /** By the operations of the documents that the cache of documents holds. */
  const known = new WeakMap<OperationDefinitionNode, KnownOperation | Fallback>();
  let ids = 0;
  /** By the operation and the values of its deciding variables. */
  const compiled = new BoundedMap<string, EncodedOperation | Fallback>(maxCompiled);
  /** By the operation and the values of its weighing variables. */
  const costs = new BoundedMap<string, number>(maxCosts);

  function learn(document: DocumentNode, operation: OperationDefinitionNode): KnownOperation | Fallback {
    // It needs no key.
    if (isIntrospection(operation)) return new Fallback('introspection');
    if (!readsListsOnly(schema, ports, operation)) return new Fallback('more than lists of a service');
    const valuesOf = compileVariables(schema, operation);
    if (valuesOf === undefined) return new Fallback('variables');
    ids += 1;
    const refusal = lazily(() => refusalOf(document));
    return { document, id: ids, operation, valuesOf, ...variablesThatMatter(document, operation), refusal };
  }

  function refusalOf(document: DocumentNode): Fallback | null {
    if (validate(schema, document).length > 0) return new Fallback('invalid');
    // Also where another operation asks for it.
    const asksForSchema = () => validate(schema, document, [NoSchemaIntrospectionCustomRule]).length > 0;
    return !introspection && asksForSchema() ? new Fallback('introspection') : null;
  }

  function compile({ document, operation }: KnownOperation, values: Values): EncodedOperation | Fallback {
    try {
      return encodeOperation(compileOperation(schema, ports, document, operation, values));
    } catch (error) {
      if (error instanceof Fallback) return error;
      throw error;
    }
  }

  return {
    find(document, operationName) {
      const operation = chosenOperation(document, operationName);
      if (operation === undefined) throw new Fallback('no operation');
      const found = known.get(operation) ?? learn(document, operation);
      known.set(operation, found);
      if (found instanceof Fallback) throw found;
      return found;
    },
    check({ document, id, operation, weighing, refusal }, values) {
      const key = keyOf(id, weighing, values);
      const cost = costs.get(key) ?? operationCost(schema, document, operation, values);
      costs.set(key, cost);
      if (cost > maxCost) throw new Fallback('cost');
      const refused = refusal();
      if (refused !== null) throw refused;
    },
    compiledFor(operation, values) {
      const key = keyOf(operation.id, operation.deciding, values);
      const found = compiled.get(key) ?? compile(operation, values);
      compiled.set(key, found);
      if (found instanceof Fallback) throw found;
      return found;
    },
  };
}

/** Runs `make` when its result is first wanted. */
function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Whether all root fields may be lists that come as bytes. What a fragment hides is seen when the operation is compiled. */
function readsListsOnly(
  schema: GraphQLSchema,
  ports: Ports,
  { operation, selectionSet }: OperationDefinitionNode,
): boolean {
  if (operation !== OperationTypeNode.QUERY) return false;
  const fields = schema.getQueryType()?.getFields() ?? {};
  return selectionSet.selections.every((selection) => {
    if (selection.kind !== Kind.FIELD || selection.name.value === '__typename') return true;
    const field = fields[selection.name.value];
    return field !== undefined && listSourceOf(field)?.bytes(ports) !== undefined;
  });
}

/** The variables of an operation that decide what is selected, and those that decide the cost. */
function variablesThatMatter(document: DocumentNode, { variableDefinitions = [] }: OperationDefinitionNode) {
  const inDirectives = new Set<string>();
  visit(document, {
    Directive({ arguments: given = [] }) {
      for (const { value } of given) if (value.kind === Kind.VARIABLE) inDirectives.add(value.name.value);
    },
  });
  const names = (ofType: string) =>
    variableDefinitions.flatMap(({ variable, type }) =>
      print(type).replace('!', '') === ofType ? variable.name.value : [],
    );
  // Another operation may have a variable of the same name and another type.
  const deciding = names('Boolean').filter((name) => inDirectives.has(name));
  return { deciding, weighing: [...deciding, ...names('Int')] };
}

const keyOf = (id: number, names: readonly string[], values: Values): string =>
  `${id} ${JSON.stringify(names.map((name) => values[name]))}`;

/**
 * The values of the variables, from those that were sent.
 * @throws Fallback for values that do not fit: the executor says why
 */
export function valuesFor({ valuesOf, deciding }: KnownOperation, sent: Values): Values {
  const values = valuesOf(sent);
  // A directive without a value is an error where it stands.
  if (values === undefined || deciding.some((name) => typeof values[name] !== 'boolean'))
    throw new Fallback('variables');
  return values;
}
