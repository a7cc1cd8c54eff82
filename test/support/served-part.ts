/** Of operations on the whole schema, what a set-up serves of them. */
import { type GraphQLSchema, Kind, parse, print, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import { buildSchema } from '../../src/capabilities/build-schema.ts';
import { type SetUp, setUps } from '../../src/kernel/set-up.ts';

export const schemas = Object.fromEntries(setUps.map((setUp) => [setUp, buildSchema(setUp)])) as Record<
  SetUp,
  GraphQLSchema
>;

/** The document without the selections that the schema of the set-up does not have; undefined if nothing is left. */
export function servedPart(setUp: SetUp, document: string): string | undefined {
  const schema = schemas[setUp];
  const types = new TypeInfo(schema);
  const served = visit(
    parse(document),
    visitWithTypeInfo(types, {
      Field: {
        enter: () => (types.getFieldDef() ? undefined : null),
        leave: (node) => (node.selectionSet?.selections.length === 0 ? null : undefined),
      },
      InlineFragment: {
        enter: ({ typeCondition }) => (typeCondition && !schema.getType(typeCondition.name.value) ? null : undefined),
        leave: ({ selectionSet }) => (selectionSet.selections.length === 0 ? null : undefined),
      },
    }),
  );
  const isEmpty = served.definitions.some(
    (node) => node.kind === Kind.OPERATION_DEFINITION && node.selectionSet.selections.length === 0,
  );
  return isEmpty ? undefined : print(served);
}
