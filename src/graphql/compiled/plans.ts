/** The operations that clients send, with their plans and costs: each is looked into once. */
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
import { type CompiledOperation, compileOperation } from './operation.ts';
import { Left, NotCompiled } from './parts.ts';

export interface PlanOptions {
  readonly ports: Ports;
  readonly maxCost: number;
  /** Whether the schema can be read. */
  readonly introspection: boolean;
}

/** What is known of an operation of a document, whatever the values of its variables. */
export interface KnownOperation {
  readonly document: DocumentNode;
  /** Tells its plans and costs from those of others. */
  readonly id: number;
  readonly operation: OperationDefinitionNode;
  readonly valuesOf: ReadValues;
  /** The variables whose values decide what is selected. Each must have one. */
  readonly deciding: readonly string[];
  /** Those and the ones that may be the size of a page: the variables that decide the cost. */
  readonly weighing: readonly string[];
}

/**
 * How many are kept in all. Clients choose documents and values, so that there may be any number, and plans may be large
 * (see operation.ts).
 */
const keptPlans = 200;
const keptCosts = 4_000;

export interface Plans {
  /**
   * The operation of a document that a request chooses.
   * @param variables as they were sent
   * @throws Left for one that is always left
   */
  find(document: DocumentNode, operationName: string | null, variables: Values): KnownOperation;
  /** @throws Left for an operation that is too dear with these values */
  requireCost(operation: KnownOperation, values: Values): void;
  /** @throws Left for an operation that a plan cannot say */
  planFor(operation: KnownOperation, values: Values): CompiledOperation;
}

export function createPlans({ ports, maxCost, introspection }: PlanOptions): Plans {
  /** By the documents that the cache holds, then by the names of their operations. */
  const known = new WeakMap<DocumentNode, Map<string | null, KnownOperation | string>>();
  let ids = 0;
  /** By the operation and the values of its deciding variables. A text says why there is no plan. */
  const plans = new BoundedMap<string, CompiledOperation | string>(keptPlans);
  /** By the operation and the values of its weighing variables. */
  const costs = new BoundedMap<string, number>(keptCosts);

  function find(document: DocumentNode, operationName: string | null, variables: Values): KnownOperation {
    const operations = known.get(document) ?? new Map<string | null, KnownOperation | string>();
    known.set(document, operations);
    const operation = chosenOperation(document, operationName);
    // Not kept: there are any number of names that a document does not have.
    if (operation === undefined) throw new Left('no operation');
    const found = operations.get(operationName) ?? learn(document, operation, variables);
    operations.set(operationName, found);
    if (typeof found === 'string') throw new Left(found);
    return found;
  }

  /** @returns a text that says why the operation is always left */
  function learn(
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: Values,
  ): KnownOperation | string {
    // It needs no key.
    if (isIntrospection(operation)) return 'introspection';
    if (!readsListsOnly(schema, ports, operation)) return 'more than lists of a service';
    const valuesOf = compileVariables(schema, operation);
    if (valuesOf === undefined) return 'variables';
    ids += 1;
    const made = { document, id: ids, operation, valuesOf, ...variablesThatMatter(document, operation) };
    // As in Yoga's way, nothing is validated that is too dear. Other values may be cheaper: this says nothing of those.
    requireCost(made, valuesFor(made, variables));
    if (validate(schema, document).length > 0) return 'invalid';
    // Also where another operation asks for it.
    const asksForSchema = () => validate(schema, document, [NoSchemaIntrospectionCustomRule]).length > 0;
    return !introspection && asksForSchema() ? 'introspection' : made;
  }

  function requireCost({ document, id, operation, weighing }: KnownOperation, variables: Values): void {
    const key = keyOf(id, weighing, variables);
    const cost = costs.get(key) ?? operationCost(schema, document, operation, variables);
    costs.set(key, cost);
    if (cost > maxCost) throw new Left('cost');
  }

  function planFor({ document, id, operation, deciding }: KnownOperation, variables: Values): CompiledOperation {
    const key = keyOf(id, deciding, variables);
    const plan = plans.get(key) ?? compiled(document, operation, variables);
    plans.set(key, plan);
    if (typeof plan === 'string') throw new Left(plan);
    return plan;
  }

  function compiled(document: DocumentNode, operation: OperationDefinitionNode, variables: Values) {
    try {
      return compileOperation(schema, ports, document, operation, variables);
    } catch (error) {
      if (error instanceof NotCompiled) return error.message;
      throw error;
    }
  }

  return { find, requireCost, planFor };
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
  const names = (types: readonly string[]) =>
    variableDefinitions.flatMap(({ variable, type }) =>
      types.includes(print(type).replace('!', '')) ? variable.name.value : [],
    );
  // Another operation may have a variable of the same name and another type.
  const deciding = names(['Boolean']).filter((name) => inDirectives.has(name));
  return { deciding, weighing: [...deciding, ...names(['Int'])] };
}

const keyOf = (id: number, names: readonly string[], values: Values): string =>
  `${id} ${JSON.stringify(names.map((name) => values[name]))}`;

/**
 * The values of the variables, from those that were sent.
 * @throws Left for values that do not fit: graphql-js says why
 */
export function valuesFor({ valuesOf, deciding }: KnownOperation, sent: Values): Values {
  const values = valuesOf(sent);
  // A directive without a value is an error where it stands.
  if (values === undefined || deciding.some((name) => typeof values[name] !== 'boolean')) throw new Left('variables');
  return values;
}
