/** Arguments and variables, read from a document that has not been validated: anything may stand anywhere. */
import { type FieldNode, Kind, type OperationDefinitionNode, type SelectionNode, type ValueNode } from 'graphql';

interface Variable {
  readonly value: unknown;
  /** The number of list entries in the value, at any depth. */
  readonly entries: number;
}

/** The variables of an operation, with the values that were sent, or their defaults. */
export type Variables = ReadonlyMap<string, Variable>;

export function variablesOf({ variableDefinitions = [] }: OperationDefinitionNode, sent: unknown): Variables {
  const given = new Map<string, unknown>(typeof sent === 'object' && sent !== null ? Object.entries(sent) : []);
  return new Map(
    variableDefinitions.map(({ variable: { name }, defaultValue }) => {
      const value = given.has(name.value) ? given.get(name.value) : defaultValue && literal(defaultValue, new Map());
      return [name.value, { value, entries: entriesIn(value) }];
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

/** The arguments of a field: their values, and how many entries their lists have in all. */
export function argumentsOf({ arguments: given = [] }: FieldNode, variables: Variables) {
  let entries = 0;
  for (const { value } of given) entries += entriesOf(value, variables);
  return {
    entries,
    /** The value of an argument; undefined for one that was not given. */
    value: (name: string): unknown => {
      const argument = given.find((each) => each.name.value === name);
      return argument && literal(argument.value, variables);
    },
  };
}

/** The number of list entries in a value. Every entry is coerced and checked for every object that has the field. */
function entriesOf(node: ValueNode, variables: Variables): number {
  switch (node.kind) {
    case Kind.LIST:
      return node.values.reduce((sum, value) => sum + 1 + entriesOf(value, variables), 0);
    case Kind.OBJECT:
      return node.fields.reduce((sum, { value }) => sum + entriesOf(value, variables), 0);
    case Kind.VARIABLE:
      return variables.get(node.name.value)?.entries ?? 0;
    default:
      return 0;
  }
}

/** The same for the value of a variable. It may be nested at any depth, so it is not recursed into. */
function entriesIn(value: unknown): number {
  let entries = 0;
  const open: object[] = typeof value === 'object' && value !== null ? [value] : [];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (Array.isArray(next)) entries += next.length;
    const inner: unknown[] = Object.values(next);
    for (const each of inner) if (typeof each === 'object' && each !== null) open.push(each);
  }
  return entries;
}
