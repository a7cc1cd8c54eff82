/** Arguments of a compiled operation: what graphql-js makes of them, with everything done once that can be. */
import {
  BREAK,
  type FieldNode,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  isNonNullType,
  Kind,
  type ValueNode,
  valueFromAST,
  visit,
} from 'graphql';
import type { Values } from '../../documents/variables.ts';
import { idPlacesOf, withRawIds } from '../../kit/id-arguments.ts';
import { Declined } from '../declined.ts';

/** Reads coerced values from the variables; undefined if graphql-js or the field would refuse them. */
export type ReadValues = (variables: Values) => Values | undefined;

/** @throws Declined for a literal that has variables inside, or that graphql-js would refuse */
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
  if (literal !== undefined && value === undefined) throw new Declined(`the literal of ${name}`);
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
