import {
  type GraphQLField,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  type GraphQLSchema,
  isInterfaceType,
  isObjectType,
} from 'graphql';

interface FieldOfType {
  readonly type: GraphQLObjectType | GraphQLInterfaceType;
  readonly field: GraphQLField<unknown, unknown>;
}

/** The fields of all objects, without those of introspection, which all schemas of a process share. */
export function* fieldsOf(
  schema: GraphQLSchema,
  { interfaces = false }: { readonly interfaces?: boolean } = {},
): Generator<FieldOfType> {
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__') || !(isObjectType(type) || (interfaces && isInterfaceType(type)))) continue;
    for (const field of Object.values(type.getFields())) yield { type, field };
  }
}
