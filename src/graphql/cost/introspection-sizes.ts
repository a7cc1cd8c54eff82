import {
  type GraphQLNamedType,
  type GraphQLSchema,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql';

/** The largest size that each list of the introspection has in a schema, by its coordinate. */
export function introspectionSizes(schema: GraphQLSchema): ReadonlyMap<string, number> {
  const types = Object.values(schema.getTypeMap());
  const directives = schema.getDirectives();
  const most = (of: (type: GraphQLNamedType) => number): number => Math.max(1, ...types.map(of));
  const fields = (type: GraphQLNamedType) =>
    isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [];
  return new Map([
    ['__Schema.types', types.length],
    ['__Schema.directives', directives.length],
    ['__Directive.locations', Math.max(1, ...directives.map(({ locations }) => locations.length))],
    ['__Directive.args', Math.max(1, ...directives.map(({ args }) => args.length))],
    ['__Field.args', most((type) => Math.max(0, ...fields(type).map(({ args }) => args.length)))],
    ['__Type.fields', most((type) => fields(type).length)],
    [
      '__Type.interfaces',
      most((type) => (isObjectType(type) || isInterfaceType(type) ? type.getInterfaces().length : 0)),
    ],
    ['__Type.possibleTypes', most((type) => (isAbstractType(type) ? schema.getPossibleTypes(type).length : 0))],
    ['__Type.enumValues', most((type) => (isEnumType(type) ? type.getValues().length : 0))],
    ['__Type.inputFields', most((type) => (isInputObjectType(type) ? Object.keys(type.getFields()).length : 0))],
  ]);
}
