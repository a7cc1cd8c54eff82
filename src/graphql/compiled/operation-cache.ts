/** The operations that clients send, compiled and with their costs: each is looked into once. */
import {
  type DocumentNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  print,
  visit,
} from 'graphql';
import { BoundedMap } from '../../bounded-map.ts';
import type { Ports } from '../../ports.ts';
import { isIntrospection } from '../cost/introspection.ts';
import type { CostOf } from '../cost/known-costs.ts';
import { chosenOperation } from '../cost/operation-cost.ts';
import { Fallback } from '../fallback.ts';
import { listSourceOf } from '../list-source.ts';
import type { RefusalOf } from '../validity.ts';
import { compileVariables, type ReadValues, type Values } from './arguments.ts';
import { type EncodedOperation, encodeOperation } from './encoded-operation.ts';
import { compileOperation } from './operation.ts';

export interface OperationCacheOptions {
  readonly schema: GraphQLSchema;
  readonly ports: Ports;
  readonly maxCost: number;
  readonly costOf: CostOf;
  readonly refusalOf: RefusalOf;
  /** Documents whose operations no others push out. */
  readonly trusted?: ReadonlySet<DocumentNode>;
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
}

/**
 * How many are kept in all. Clients choose documents and values, so that there may be any number, and a compiled operation
 * may be large (see operation.ts).
 */
const maxCompiled = 200;

export interface OperationCache {
  /**
   * The operation of a document that a request chooses.
   * @throws Fallback for one that the executor serves whatever its variables are
   */
  find(document: DocumentNode, operationName: string | null): KnownOperation;
  /**
   * As in the executor, the cost is checked before an operation is validated.
   * @returns the cost
   * @throws Fallback for an operation that is too expensive with these values, or that is not valid
   */
  check(operation: KnownOperation, values: Values): number;
  /** @throws Fallback for an operation that a plan cannot say */
  compiledFor(operation: KnownOperation, values: Values): EncodedOperation;
}

export function createOperationCache({
  schema,
  ports,
  maxCost,
  costOf,
  refusalOf,
  trusted = new Set(),
}: OperationCacheOptions): OperationCache {
  /** By the operations of the documents that the cache of documents holds. */
  const known = new WeakMap<OperationDefinitionNode, KnownOperation | Fallback>();
  let ids = 0;
  /** By the operation and the values of its deciding variables. */
  const ofOthers = new BoundedMap<string, EncodedOperation | Fallback>(maxCompiled);
  const ofTrusted = new BoundedMap<string, EncodedOperation | Fallback>(maxCompiled + trusted.size);

  function learn(document: DocumentNode, operation: OperationDefinitionNode): KnownOperation | Fallback {
    // It needs no key.
    if (isIntrospection(operation)) return new Fallback('introspection');
    if (!readsListsOnly(schema, ports, operation)) return new Fallback('more than lists of a service');
    const valuesOf = compileVariables(schema, operation);
    if (valuesOf === undefined) return new Fallback('variables');
    ids += 1;
    return { document, id: ids, operation, valuesOf, deciding: variablesOfDirectives(document, operation) };
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
    check({ document, operation }, values) {
      const cost = costOf(document, operation, values);
      if (cost > maxCost) throw new Fallback('cost');
      const refused = refusalOf(document);
      if (refused !== null) throw refused;
      return cost;
    },
    compiledFor(operation, values) {
      const compiled = trusted.has(operation.document) ? ofTrusted : ofOthers;
      const key = keyOf(operation.id, operation.deciding, values);
      const found = compiled.get(key) ?? compile(operation, values);
      compiled.set(key, found);
      if (found instanceof Fallback) throw found;
      return found;
    },
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

/** The variables of an operation that decide what is selected. */
function variablesOfDirectives(document: DocumentNode, { variableDefinitions = [] }: OperationDefinitionNode) {
  const inDirectives = new Set<string>();
  visit(document, {
    Directive({ arguments: given = [] }) {
      for (const { value } of given) if (value.kind === Kind.VARIABLE) inDirectives.add(value.name.value);
    },
  });
  // Another operation may have a variable of the same name and another type.
  return variableDefinitions.flatMap(({ variable: { name }, type }) =>
    print(type).replace('!', '') === 'Boolean' && inDirectives.has(name.value) ? name.value : [],
  );
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
