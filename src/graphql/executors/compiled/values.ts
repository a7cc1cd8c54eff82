/**
 * Values beside the items of a page: cursors, `pageInfo`, what the page says of itself. They are few, so their own
 * resolvers give them, from an object in memory.
 */
import {
  defaultFieldResolver,
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  getNullableType,
  isLeafType,
  isNonNullType,
  isObjectType,
  type SelectionSetNode,
} from 'graphql';
import { selectionSetsOf } from '../../cost/selections.ts';
import { Declined } from '../declined.ts';
import { type Compiling, selectedOf } from './compile.ts';

/** Prints a value as JSON. @throws Error for one that graphql-js would report as an error */
export type Print<Value = unknown> = (value: Value) => string;

/** @throws Declined for a field that may do more than read a property */
export function compileField(compiling: Compiling, parent: GraphQLObjectType, nodes: readonly FieldNode[]): Print {
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

/** Reads a field of something beside the items from its parent. */
export function readField({ name, resolve = defaultFieldResolver }: GraphQLField<unknown, unknown>) {
  // A resolver of such a field takes its parent only; the default one takes the name too.
  const info = { fieldName: name } as GraphQLResolveInfo;
  return (parent: unknown): unknown => resolve(parent, {}, undefined, info);
}

function compileValue(compiling: Compiling, type: GraphQLOutputType, sets: readonly SelectionSetNode[]): Print {
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

function compileObjectValue(compiling: Compiling, type: GraphQLObjectType, sets: readonly SelectionSetNode[]): Print {
  const fields = [...selectedOf(compiling, type, sets)].map(([name, nodes]) => ({
    key: `${JSON.stringify(name)}:`,
    print: compileField(compiling, type, nodes),
  }));
  return (value) => `{${fields.map(({ key, print }) => key + print(value)).join(',')}}`;
}
