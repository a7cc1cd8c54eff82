/** Values beside the items: cursors, `pageInfo`, metadata. They are few: their own resolvers give them. */
import {
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNullableType,
  isLeafType,
  isNonNullType,
  isObjectType,
  type SelectionSetNode,
} from 'graphql';
import { isObject } from '../../../kernel/lib/objects.ts';
import { selectionSetsOf } from '../../cost/selections.ts';
import { Declined } from '../declined.ts';
import { type Compiling, selectedOf } from './compile.ts';

/** As JSON. @throws Error for a value that graphql-js would report */
export type PrintValue = (value: unknown) => string;

export function compileField(compiling: Compiling, parent: GraphQLObjectType, nodes: readonly FieldNode[]): PrintValue {
  const name = nodes[0]?.name.value ?? '';
  if (name === '__typename') {
    const printed = JSON.stringify(parent.name);
    return () => printed;
  }
  const field = parent.getFields()[name];
  if (field === undefined || field.args.length > 0) throw new Declined(`${parent.name}.${name} takes arguments`);
  const print = compileValue(compiling, field.type, selectionSetsOf(nodes));
  const read = readField(field);
  return (value) => print(read(value));
}

/** From something beside the items. Such a resolver takes its parent only. */
export const readField =
  ({ name, resolve }: GraphQLField<unknown, unknown>) =>
  (parent: unknown): unknown => {
    if (resolve !== undefined) return Reflect.apply(resolve, undefined, [parent]);
    return isObject(parent) ? parent[name] : undefined;
  };

function compileValue(compiling: Compiling, type: GraphQLOutputType, sets: readonly SelectionSetNode[]): PrintValue {
  const nullable = getNullableType(type);
  const print = isLeafType(nullable)
    ? (value: unknown) => JSON.stringify(nullable.serialize(value))
    : isObjectType(nullable)
      ? compileObjectValue(compiling, nullable, sets)
      : undefined;
  if (print === undefined) throw new Declined(`${nullable.toString()} is no value beside items`);
  return (value) => {
    if (value instanceof Promise || value instanceof Error) throw new Error('The value is not there yet');
    if (value !== undefined && value !== null) return print(value);
    if (isNonNullType(type)) throw new Error('A value that must be there is not');
    return 'null';
  };
}

function compileObjectValue(
  compiling: Compiling,
  type: GraphQLObjectType,
  sets: readonly SelectionSetNode[],
): PrintValue {
  const fields = [...selectedOf(compiling, type, sets)].map(([name, nodes]) => ({
    key: `${JSON.stringify(name)}:`,
    print: compileField(compiling, type, nodes),
  }));
  return (value) => `{${fields.map(({ key, print }) => key + print(value)).join(',')}}`;
}
