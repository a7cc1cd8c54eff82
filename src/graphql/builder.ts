/** The Pothos builder: what the schema is made of before a capability adds its types. */
import SchemaBuilder from '@pothos/core';
import ComplexityPlugin from '@pothos/plugin-complexity';
import { ServiceError } from '../errors.ts';
import type { GraphQLContext } from './graphql-context.ts';

/**
 * How much one operation may ask for. Complexity counts each field once for every object that it may be read from (a
 * connection counts for `first` objects, another list for 10): five lists of 100 whole posts fit, a hundred posts of a
 * hundred authors each do not.
 */
export const operationLimits = { complexity: 200_000, depth: 16, breadth: 2_000 } as const;

export const builder = new SchemaBuilder<{
  Context: GraphQLContext;
  DefaultFieldNullability: false;
  Scalars: {
    ID: { Input: string; Output: string };
    DateTime: { Input: string; Output: string };
    JSON: { Input: unknown; Output: unknown };
    SafeInt: { Input: number; Output: number };
  };
}>({
  plugins: [ComplexityPlugin],
  defaultFieldNullability: false,
  complexity: {
    limit: operationLimits,
    complexityError: (kind, result) =>
      new ServiceError('limit_too_high', {
        detail: `The operation asks for too much: its ${kind.toLowerCase()} is ${result[kind.toLowerCase() as 'depth']}, and may be ${
          operationLimits[kind.toLowerCase() as 'depth']
        } at most. Ask for fewer items or fields at once.`,
      }),
  },
});

builder.queryType({ description: 'What can be read. Nothing here changes anything.' });
builder.mutationType({
  description:
    'What can be changed. A mutation answers an expected failure as data: ask for `__typename`, and for `... on ServiceError` to see what went wrong.',
});
builder.subscriptionType({ description: 'What can be watched, over server-sent events.' });
