/**
 * `@requiresScopes`, in the shape of Apollo's: what the API key of a caller needs. A field says by its option `runs` which
 * operation it runs, and the operation knows its scope. Subgraphs do not say it: a router would look for the scopes in
 * tokens of its own.
 */
import {
  DirectiveLocation,
  GraphQLDirective,
  type GraphQLField,
  GraphQLList,
  GraphQLNonNull,
  GraphQLString,
} from 'graphql';
import { permitting, type Scope } from '../../kernel/caller.ts';

export const requiresScopesDirective = new GraphQLDirective({
  name: 'requiresScopes',
  description: 'Scopes that a key needs: all of one list.',
  locations: [DirectiveLocation.FIELD_DEFINITION],
  args: {
    scopes: {
      type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(GraphQLString))))),
      description: 'Lists of scopes.',
    },
  },
});

const scopeOf = ({ extensions }: GraphQLField<unknown, unknown>): Scope | undefined =>
  // Only the plugin in needs.ts writes this extension.
  extensions.scope as Scope | undefined;

/** The values of the directive: each scope that suffices. */
export function requiredScopesOf(field: GraphQLField<unknown, unknown>) {
  const scope = scopeOf(field);
  return scope === undefined ? undefined : { scopes: permitting(scope).map((each) => [each]) };
}
