/** Arguments and variables, read from a document that has not been validated: anything may stand anywhere. */
import { type FieldNode, Kind, type OperationDefinitionNode, type SelectionNode, type ValueNode } from 'graphql';

interface Variable {
  readonly value: unknown;
  /** What its lists and objects weigh, at any depth. */
  readonly weight: number;
}

/** The variables of an operation, with the values that were sent, or their defaults. */
export type Variables = ReadonlyMap<string, Variable>;

/**
 * An entry of an object takes several times what an entry of a list takes: each of many keys is looked up, whenever the
 * object is read or copied.
 */
const entryWeights = { list: 1, object: 5 } as const;

/** A default can have no variables. */
const none: Variables = new Map();

export function variablesOf({ variableDefinitions = [] }: OperationDefinitionNode, sent: unknown): Variables {
  const given = new Map<string, unknown>(typeof sent === 'object' && sent !== null ? Object.entries(sent) : []);
  return new Map(
    variableDefinitions.map(({ variable: { name }, defaultValue }) => {
      if (given.has(name.value)) {
        const value = given.get(name.value);
        return [name.value, { value, weight: weightIn(value) }];
      }
      if (defaultValue === undefined) return [name.value, { value: undefined, weight: 0 }];
      return [name.value, { value: literal(defaultValue, none), weight: weightOf(defaultValue, none) }];
    }),
  );
}

/** What an argument says about sizes: a number, a boolean, or a list of the same length. Undefined for anything else. */
function literal(node: ValueNode, variables: Variables): unknown {
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

/** Whether `@skip` and `@include` let a selection take part. One whose variable is not known does. */
export function includedBy({ directives = [] }: SelectionNode, variables: Variables): boolean {
  return directives.every(({ name, arguments: [condition] = [] }) => {
    const value = condition && literal(condition.value, variables);
    return !((name.value === 'skip' && value === true) || (name.value === 'include' && value === false));
  });
}

/** The arguments of a field: their values, and what their lists and objects weigh in all. */
export function argumentsOf({ arguments: given = [] }: FieldNode, variables: Variables) {
  let weight = 0;
  for (const { value } of given) weight += weightOf(value, variables);
  return {
    weight,
    /** The value of an argument; undefined for one that was not given. */
    value: (name: string): unknown => {
      const argument = given.find((each) => each.name.value === name);
      return argument && literal(argument.value, variables);
    },
  };
}

/** What the entries of a value weigh. Each is coerced and checked for every object that has the field. */
function weightOf(node: ValueNode, variables: Variables): number {
  switch (node.kind) {
    case Kind.LIST:
      return node.values.reduce((sum, value) => sum + entryWeights.list + weightOf(value, variables), 0);
    case Kind.OBJECT:
      return node.fields.reduce((sum, { value }) => sum + entryWeights.object + weightOf(value, variables), 0);
    case Kind.VARIABLE:
      return variables.get(node.name.value)?.weight ?? 0;
    default:
      return 0;
  }
}

/** The same for the value of a variable. It may be nested at any depth, so it is not recursed into. */
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
