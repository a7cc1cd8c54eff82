/** Of operations on the whole schema, what a set-up serves of them. */
import { type GraphQLSchema, parse, print } from 'graphql';
import { buildSchema } from '../../src/capabilities/schema.ts';
import { type SetUp, setUps } from '../../src/kernel/set-up.ts';
import { servedPart as partOf } from '../../src/pages/graphiql/examples.ts';

export const schemas = Object.fromEntries(setUps.map((setUp) => [setUp, buildSchema(setUp)])) as Record<
  SetUp,
  GraphQLSchema
>;

/** The document without the selections that the schema of the set-up does not have; undefined if nothing is left. */
export function servedPart(setUp: SetUp, document: string): string | undefined {
  const part = partOf(schemas[setUp], parse(document));
  return part && print(part);
}
