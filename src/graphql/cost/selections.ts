/** Selection sets as an executor merges them: one field per response name. */
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  isAbstractType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import { LimitError, operationLimits } from './limits.ts';

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/** Fragments by name; validation refuses duplicates, so the first counts. */
export function fragmentsOf({ definitions }: DocumentNode): Fragments {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of definitions) {
    if (definition.kind !== Kind.FRAGMENT_DEFINITION || fragments.has(definition.name.value)) continue;
    fragments.set(definition.name.value, definition);
  }
  return fragments;
}

export interface Filter {
  readonly includes: (selection: SelectionNode) => boolean;
  readonly applies: (typeCondition: string) => boolean;
}

export interface Collected {
  readonly fields: ReadonlyMap<string, readonly FieldNode[]>;
  readonly fragments: number;
}

/** @throws LimitError for fragments nested too deeply */
export function collectFields(sets: readonly SelectionSetNode[], fragments: Fragments, filter: Filter): Collected {
  const fields = new Map<string, FieldNode[]>();
  const seen = new Set<string>();
  const collect = ({ selections }: SelectionSetNode, level: number): void => {
    if (level > operationLimits.fragmentNesting)
      throw new LimitError('fragmentNesting', operationLimits.fragmentNesting);
    for (const selection of selections) {
      if (!filter.includes(selection)) continue;
      if (selection.kind === Kind.FIELD) {
        const name = (selection.alias ?? selection.name).value;
        const same = fields.get(name);
        if (same === undefined) fields.set(name, [selection]);
        else same.push(selection);
        continue;
      }
      const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : spread(selection.name.value);
      if (fragment === undefined) continue;
      const condition = fragment.typeCondition?.name.value;
      // Inline fragments are limited by their brackets.
      if (condition === undefined || filter.applies(condition)) {
        collect(fragment.selectionSet, fragment === selection ? level : level + 1);
      }
    }
  };
  const spread = (name: string) => {
    if (seen.has(name)) return undefined;
    seen.add(name);
    return fragments.get(name);
  };
  for (const set of sets) collect(set, 0);
  return { fields, fragments: seen.size };
}

/** Whether a fragment with this condition applies to objects of the type. Validation refuses an unknown one, which applies. */
export function fragmentApplies(schema: GraphQLSchema, type: GraphQLObjectType, condition: string): boolean {
  const on = schema.getType(condition);
  return on === undefined || on === type || (isAbstractType(on) && schema.isSubType(on, type));
}

export const selectionSetsOf = (nodes: readonly FieldNode[]): SelectionSetNode[] =>
  nodes.flatMap(({ selectionSet }) => selectionSet ?? []);

interface VariableValue {
  readonly value: unknown;
  /** Weight of its lists and objects, at any depth. */
  readonly weight: number;
}

export type VariableValues = ReadonlyMap<string, VariableValue>;

/** An object's entry costs several times a list's: each key is looked up whenever the object is read or copied. */
const entryWeights = { list: 1, object: 5 } as const;

/** Defaults have no variables. */
const noVariables: VariableValues = new Map();

export function variablesOf({ variableDefinitions = [] }: OperationDefinitionNode, sent: unknown): VariableValues {
  const given = new Map<string, unknown>(typeof sent === 'object' && sent !== null ? Object.entries(sent) : []);
  return new Map(
    variableDefinitions.map(({ variable: { name }, defaultValue }) => {
      if (given.has(name.value)) {
        const value = given.get(name.value);
        return [name.value, { value, weight: weightIn(value) }];
      }
      if (defaultValue === undefined) return [name.value, { value: undefined, weight: 0 }];
      return [name.value, { value: literal(defaultValue, noVariables), weight: nodeWeight(defaultValue, noVariables) }];
    }),
  );
}

/** A size: number, boolean, or a list of the same length; undefined for anything else. */
function literal(node: ValueNode, variables: VariableValues): unknown {
  switch (node.kind) {
    case Kind.INT:
      return Number(node.value);
    case Kind.BOOLEAN:
      return node.value;
    case Kind.LIST:
      return node.values.map(() => null);
    case Kind.VARIABLE:
      return variables.get(node.name.value)?.value;
    default:
      return undefined;
  }
}

/** Evaluates `@skip` and `@include`; a selection with an unknown variable counts. */
export function includedBy({ directives = [] }: SelectionNode, variables: VariableValues): boolean {
  return directives.every(({ name, arguments: [condition] = [] }) => {
    const value = condition && literal(condition.value, variables);
    return !((name.value === 'skip' && value === true) || (name.value === 'include' && value === false));
  });
}

export function argumentsOf({ arguments: given = [] }: FieldNode, variables: VariableValues) {
  let weight = 0;
  for (const { value } of given) weight += nodeWeight(value, variables);
  return {
    weight,
    value: (name: string): unknown => {
      const argument = given.find((each) => each.name.value === name);
      return argument && literal(argument.value, variables);
    },
  };
}

/** Weight of a value's entries: each is coerced and checked for every object with the field. */
function nodeWeight(node: ValueNode, variables: VariableValues): number {
  switch (node.kind) {
    case Kind.LIST:
      return node.values.reduce((sum, value) => sum + entryWeights.list + nodeWeight(value, variables), 0);
    case Kind.OBJECT:
      return node.fields.reduce((sum, { value }) => sum + entryWeights.object + nodeWeight(value, variables), 0);
    case Kind.VARIABLE:
      return variables.get(node.name.value)?.weight ?? 0;
    default:
      return 0;
  }
}

/** Iterative, as the value of a variable may be nested at any depth. */
function weightIn(value: unknown): number {
  let weight = 0;
  const open: object[] = typeof value === 'object' && value !== null ? [value] : [];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const inner: unknown[] = Array.isArray(next) ? next : Object.values(next);
    weight += inner.length * (Array.isArray(next) ? entryWeights.list : entryWeights.object);
    for (const each of inner) if (typeof each === 'object' && each !== null) open.push(each);
  }
  return weight;
}
