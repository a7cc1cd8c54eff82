/** Arguments and variables of a compiled operation: what graphql-js makes of them, with everything done once that can be. */
import {
  BREAK,
  type FieldNode,
  type GraphQLArgument,
  GraphQLBoolean,
  type GraphQLField,
  GraphQLID,
  type GraphQLInputType,
  GraphQLInt,
  type GraphQLSchema,
  GraphQLString,
  getVariableValues,
  isLeafType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  type ValueNode,
  valueFromAST,
  visit,
} from 'graphql';
import { Fallback } from '../fallback.ts';
import { idPlacesOf, withRawIds } from '../id-arguments.ts';

export type Values = Readonly<Record<string, unknown>>;

/** Reads coerced values from the variables; undefined if graphql-js or the field would refuse them. */
export type ReadValues = (variables: Values) => Values | undefined;

/** @throws Fallback for a literal that has variables inside, or that graphql-js would refuse */
export function compileArguments({ args }: GraphQLField<unknown, unknown>, node: FieldNode): ReadValues {
  const readers = args.map((argument) => compileArgument(argument, node));
  const places = idPlacesOf({ args });
  return (variables) => {
    const values: Record<string, unknown> = {};
    for (const { name, isNeeded, read } of readers) {
      const value = read(variables);
      if (value !== undefined) values[name] = value;
      if (isNeeded && (value === undefined || value === null)) return undefined;
    }
    try {
      return withRawIds(values, places);
    } catch {
      // The id of another kind of object: the field's resolver refuses it.
      return undefined;
    }
  };
}

function compileArgument({ name, type, defaultValue }: GraphQLArgument, { arguments: given = [] }: FieldNode) {
  const isNeeded = isNonNullType(type);
  const literal = given.find((each) => each.name.value === name)?.value;
  if (literal?.kind === Kind.VARIABLE) {
    const variable = literal.name.value;
    return {
      name,
      isNeeded,
      read: (variables: Values) => (Object.hasOwn(variables, variable) ? variables[variable] : defaultValue),
    };
  }
  const value: unknown = literal === undefined ? defaultValue : constantOf(literal, type);
  if (literal !== undefined && value === undefined) throw new Fallback(`the literal of ${name}`);
  return { name, isNeeded, read: () => value };
}

/** The value of a literal; undefined if that depends on variables, of which graphql-js would make null or nothing here. */
function constantOf(literal: ValueNode, type: GraphQLInputType): unknown {
  let hasVariables = false;
  visit(literal, {
    Variable() {
      hasVariables = true;
      return BREAK;
    },
  });
  return hasVariables ? undefined : valueFromAST(literal, type);
}

/** What a value is that graphql-js takes as it is. */
const fits = new Map<unknown, (value: unknown) => boolean>([
  [GraphQLID, (value) => typeof value === 'string'],
  [GraphQLString, (value) => typeof value === 'string'],
  [GraphQLBoolean, (value) => typeof value === 'boolean'],
  [GraphQLInt, (value) => typeof value === 'number' && (value | 0) === value],
]);

/**
 * The values of an operation's variables, from those that were sent.
 * @returns undefined for an operation with variables that are lists or objects: they may be of any size
 */
export function compileVariables(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
): ReadValues | undefined {
  const variables = variableDefinitions.map(({ type, variable: { name } }) => {
    const inner = type.kind === Kind.NON_NULL_TYPE ? type.type : type;
    const named = inner.kind === Kind.NAMED_TYPE ? schema.getType(inner.name.value) : undefined;
    // Assigning `__proto__` would set the prototype.
    const isPlain = isLeafType(named) && name.value !== '__proto__';
    return { name: name.value, isPlain, fits: fits.get(named) ?? (() => false) };
  });
  if (!variables.every(({ isPlain }) => isPlain)) return undefined;
  return (sent) => {
    const values: Record<string, unknown> = {};
    for (const { name, fits: asItIs } of variables) {
      const value = Object.hasOwn(sent, name) ? sent[name] : undefined;
      // Defaults, null and what has to be converted or refused.
      if (!asItIs(value)) return getVariableValues(schema, variableDefinitions, sent, { maxErrors: 1 }).coerced;
      values[name] = value;
    }
    return values;
  };
}
