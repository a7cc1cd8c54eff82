import { type GraphQLSchema, isInterfaceType, isObjectType } from 'graphql';

/**
 * A plugin of the code generator. Apollo replaces an object without an id by what the last query selected of it, and asks
 * for the rest again: two components that select other fields of `viewer` would take turns for ever. With these policies it
 * adds the selections up.
 */
export function plugin(schema: GraphQLSchema): string {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const node = schema.getType('Node');
  const policies = Object.values(schema.getTypeMap()).flatMap((type) => {
    if (!isObjectType(type) || type.name.startsWith('__') || roots.includes(type)) return [];
    if (isInterfaceType(node) && schema.isSubType(node, type)) return [];
    return `  ${type.name}: { merge: true },\n`;
  });
  return `export default {\n${policies.join('')}} as const;\n`;
}
