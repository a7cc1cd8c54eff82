/** Cost before execution: weights of fields times numbers of objects. The document may be invalid. */
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Values } from '../documents/variables.ts';
import { LimitError, operationLimits, requireWithin } from './limits.ts';
import {
  argumentsOf,
  collectFields,
  type Fragments,
  fragmentApplies,
  fragmentsOf,
  includedBy,
  selectionSetsOf,
  type VariableValues,
  variablesOf,
} from './selections.ts';
import { createSizes, type FieldOf } from './sizes.ts';

/** @param values of the variables, as sent. @throws LimitError for too many root fields, mutations or selections */
export function operationCost(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  values: unknown,
): number {
  const root = schema.getRootType(operation.operation);
  if (root === undefined || root === null) return 0;
  const variables = variablesOf(operation, values);
  const weigh = createWeigh(schema, fragmentsOf(document), variables);
  const { cost, fields } = weigh(root, operation.selectionSet);
  requireWithin('rootFields', fields);
  if (operation.operation === 'mutation') requireWithin('mutations', fields);
  return Math.min(cost, Number.MAX_SAFE_INTEGER);
}

interface ObjectScope {
  readonly type: GraphQLCompositeType;
  /** Page size of a connection, that is of `nodes` and `edges`. */
  readonly size: number | undefined;
}

function createWeigh(schema: GraphQLSchema, fragments: Fragments, variables: VariableValues) {
  const fieldOf = createSizes(schema);
  const known = new Map<SelectionSetNode, Map<string, number>>();
  let selections = 0;

  /** Cost of selections in one object; of an interface or union, for its dearest type. */
  const inObject = (sets: readonly SelectionSetNode[], { type, size }: ObjectScope): number => {
    if (!isAbstractType(type)) return remembered(sets, type, size);
    return Math.max(0, ...schema.getPossibleTypes(type).map((possible) => remembered(sets, possible, size)));
  };

  const remembered = (sets: readonly SelectionSetNode[], type: GraphQLObjectType, size: number | undefined): number => {
    const [alone, ...others] = sets;
    if (alone === undefined) return 0;
    if (others.length > 0) return ofFields(sets, type, size).cost;
    const costs = known.get(alone) ?? new Map<string, number>();
    known.set(alone, costs);
    const key = `${type.name} ${size}`;
    const before = costs.get(key);
    if (before !== undefined) return before;
    // Ends a fragment cycle, which the validation reports.
    costs.set(key, 0);
    const { cost } = ofFields(sets, type, size);
    costs.set(key, cost);
    return cost;
  };

  const ofFields = (sets: readonly SelectionSetNode[], type: GraphQLObjectType, size: number | undefined) => {
    const { fields } = collectFields(sets, fragments, {
      includes: (selection) => includedBy(selection, variables),
      applies: (condition) => fragmentApplies(schema, type, condition),
    });
    selections += fields.size;
    if (selections > operationLimits.selections) throw new LimitError('selections', operationLimits.selections);
    let cost = 0;
    for (const nodes of fields.values()) cost += ofField(nodes, type, size);
    return { cost, fields: fields.size };
  };

  const ofField = (nodes: readonly FieldNode[], type: GraphQLObjectType, size: number | undefined): number => {
    const [node] = nodes;
    const field = node && fieldOf(type, node.name.value);
    if (node === undefined || field === undefined) return 1;
    const given = argumentsOf(node, variables);
    const own = field.weight + given.weight;
    const named = getNamedType(field.definition.type);
    if (!isCompositeType(named)) return own;
    const { objects, page } = sizesOf(field, given.value, size);
    // A page is read as a whole, whatever is selected of it.
    const reading = (page ?? 0) * field.itemWeight;
    return own + reading + objects * (field.typeWeight + inObject(selectionSetsOf(nodes), { type: named, size: page }));
  };

  return (root: GraphQLObjectType, set: SelectionSetNode) => ofFields([set], root, undefined);
}

/** A connection is one object; `page` is the size of its lists. @param inherited page size of the parent */
function sizesOf(field: FieldOf, argument: (name: string) => unknown, inherited: number | undefined) {
  const size = field.size(argument);
  if (field.isSized && inherited !== undefined) return { objects: inherited, page: undefined };
  return field.sizesOthers ? { objects: 1, page: size } : { objects: size, page: undefined };
}

export type CostOf = (values: Values) => number;

/** Per operation: clients choose the values. */
export const maxCosts = 100;
/** In characters: an operation can have thousands of variables. */
const maxKey = 200;

export function createCosts(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): CostOf {
  let weighed: LRUCache<string, number | LimitError> | undefined;
  const weigh = (values: Values): number | LimitError => {
    try {
      return operationCost(schema, document, operation, values);
    } catch (error) {
      if (error instanceof LimitError) return error;
      throw error;
    }
  };
  return (values) => {
    const key = weighing(operation, values);
    const cost = (key === null ? undefined : weighed?.get(key)) ?? weigh(values);
    if (key !== null) {
      weighed ??= new LRUCache({ max: operation.variableDefinitions?.length ? maxCosts : 1 });
      weighed.set(key, cost);
    }
    if (cost instanceof LimitError) throw cost;
    return cost;
  };
}

/** The values that decide the cost: numbers and booleans; null for lists and objects, where every entry weighs. */
function weighing({ variableDefinitions = [] }: OperationDefinitionNode, values: Values): string | null {
  let key = '';
  for (const { variable } of variableDefinitions) {
    const value = values[variable.name.value];
    if (typeof value === 'object' && value !== null) return null;
    key += typeof value === 'string' ? ' text' : ` ${value}`;
    if (key.length > maxKey) return null;
  }
  return key;
}
