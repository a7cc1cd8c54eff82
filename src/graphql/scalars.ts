/** The scalars that GraphQL lacks. Reading is tolerant of the provider, never of a value that would be wrong. */
import { GraphQLError, Kind } from 'graphql';
import { builder } from './builder.ts';

builder.scalarType('DateTime', {
  description: 'A point in time as ISO 8601 text, such as `2026-01-31T09:30:00.000Z`.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time.html',
  serialize(value) {
    if (typeof value === 'string' && !Number.isNaN(Date.parse(value))) return value;
    throw new GraphQLError('DateTime: the value read is not a point in time');
  },
  parseValue() {
    throw new GraphQLError('DateTime is only ever returned');
  },
});

builder.scalarType('SafeInt', {
  description:
    'A whole number between -(2^53 - 1) and 2^53 - 1: counters, sizes and epoch stamps that may not fit the 32 bits of Int.',
  serialize: (value) => safeInteger(value),
  parseValue: (value) => safeInteger(value),
  parseLiteral(node) {
    if (node.kind === Kind.INT) return safeInteger(Number(node.value));
    throw new GraphQLError('SafeInt must be a whole number', { nodes: node });
  },
});

function safeInteger(value: unknown): number {
  if (Number.isSafeInteger(value)) return value as number;
  throw new GraphQLError('SafeInt must be a whole number between -(2^53 - 1) and 2^53 - 1');
}
