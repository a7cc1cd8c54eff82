/** A small schema with a cache hint of each kind. */
import { GraphQLInt, GraphQLObjectType, GraphQLSchema, GraphQLUnionType } from 'graphql';
import { inheritMaxAge, maxAge } from '../../src/graphql/kit/cache-hint.ts';

const value = { type: GraphQLInt };

const Bare = new GraphQLObjectType({ name: 'Bare', fields: { value } });
const Part: GraphQLObjectType = new GraphQLObjectType({
  name: 'Part',
  extensions: inheritMaxAge,
  fields: () => ({ value, thing: { type: Thing } }),
});
const Other = new GraphQLObjectType({ name: 'Other', extensions: maxAge(40), fields: { value } });
const Thing: GraphQLObjectType = new GraphQLObjectType({
  name: 'Thing',
  extensions: maxAge(30),
  fields: () => ({
    value,
    brief: { type: GraphQLInt, extensions: maxAge(3) },
    now: { type: GraphQLInt, extensions: maxAge(0) },
    part: { type: Part },
    either: { type: new GraphQLUnionType({ name: 'Either', types: [Part, Other] }) },
    any: { type: new GraphQLUnionType({ name: 'Any', types: [Part, Bare] }) },
  }),
});

export const builtSchema = new GraphQLSchema({
  query: new GraphQLObjectType({
    name: 'Query',
    fields: {
      value,
      bare: { type: Bare },
      part: { type: Part },
      thing: { type: Thing },
      shorter: { type: Thing, extensions: maxAge(10) },
    },
  }),
});
