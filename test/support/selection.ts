/** Selections of every field, derived from the schema, so that a new field is covered at once. */
import {
  type GraphQLNamedType,
  getNamedType,
  isAbstractType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import { schema } from './schema.ts';

/**
 * A selection set of every field of a type, and of the types of its fields.
 * @param without fields to omit, as `Type.field`. Fields with a required argument are always omitted.
 */
export function wholeSelection(typeName: string, without: readonly string[] = []): string {
  const type = schema.getType(typeName);
  if (type === undefined) throw new Error(`The schema has no type ${typeName}`);
  return selectionOf(type, without, [typeName]);
}

function selectionOf(type: GraphQLNamedType, without: readonly string[], inside: readonly string[]): string {
  if (isAbstractType(type)) {
    const shared = isInterfaceType(type) ? fieldsOf(type, without, inside) : [];
    const variants = schema.getPossibleTypes(type).map((variant) => {
      return `... on ${variant.name} ${selectionOf(variant, without, inside)}`;
    });
    return `{ __typename ${[...shared, ...variants].join(' ')} }`;
  }
  return `{ __typename ${fieldsOf(type, without, inside).join(' ')} }`;
}

function fieldsOf(type: GraphQLNamedType, without: readonly string[], inside: readonly string[]): string[] {
  if (!isObjectType(type) && !isInterfaceType(type)) return [];
  return Object.values(type.getFields()).flatMap((field) => {
    if (without.includes(`${type.name}.${field.name}`) || field.args.some(isRequiredArgument)) return [];
    const named = getNamedType(field.type);
    if (isLeafType(named)) return [field.name];
    if (inside.includes(named.name)) return [];
    return [`${field.name} ${selectionOf(named, without, [...inside, named.name])}`];
  });
}
