/** The Pothos builder, to which each capability adds its types and fields. */
import SchemaBuilder from '@pothos/core';
import ComplexityPlugin from '@pothos/plugin-complexity';
import { ServiceError } from '../errors.ts';
import type { GraphQLContext } from './graphql-context.ts';

/**
 * Limits of one operation. Complexity counts a field once for each object that may have it: a connection counts for
 * `first` objects, any other list for 10. Five lists of 100 complete posts fit; 100 posts of each of 100 authors do not.
 */
const operationLimits = { complexity: 200_000, depth: 16, breadth: 2_000 } as const;

/** The limit that each complexity error of the plugin is about. */
const limitOf = { Complexity: 'complexity', Depth: 'depth', Breadth: 'breadth' } as const;

export const builder = new SchemaBuilder<{
  Context: GraphQLContext;
  DefaultFieldNullability: false;
  Scalars: {
    ID: { Input: string; Output: string };
    DateTime: { Input: string; Output: string };
    JSON: { Input: unknown; Output: unknown };
  };
}>({
  plugins: [ComplexityPlugin],
  defaultFieldNullability: false,
  complexity: {
    limit: operationLimits,
    complexityError(kind, result) {
      const limit = limitOf[kind];
      return new ServiceError('limit_too_high', {
        detail:
          `The ${limit} of the operation is ${result[limit]}, and the limit is ${operationLimits[limit]}. ` +
          'Request fewer items or fields.',
      });
    },
  },
});

builder.queryType({ description: 'Read operations. They have no side effects.' });
builder.mutationType({
  description:
    'Write operations. A mutation returns expected failures as data: select `... on ServiceError` for the details.',
});
builder.subscriptionType({ description: 'Live updates, over server-sent events.' });
