/** The scalars that GraphQL lacks. Reading is tolerant of the provider, never of a value that would be wrong. */
import { GraphQLError, Kind } from 'graphql';
import { ServiceError } from '../errors.ts';
import { builder } from './builder.ts';

builder.scalarType('DateTime', {
  description: 'A point in time as ISO 8601 text, such as `2026-01-31T09:30:00.000Z`.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time.html',
  serialize(value) {
    if (typeof value === 'string' && !Number.isNaN(Date.parse(value))) return value;
    throw misread('DateTime');
  },
  parseValue(value) {
    // Whether it is one, and of which form, is said with the other rules of the request.
    if (typeof value === 'string') return value;
    throw new GraphQLError('DateTime must be ISO 8601 text');
  },
});

builder.scalarType('JSON', {
  description: 'Any JSON value.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259',
  serialize: (value) => value,
  parseValue: (value) => value,
});

builder.scalarType('SafeInt', {
  description:
    'A whole number between -(2^53 - 1) and 2^53 - 1: counters, sizes and epoch stamps that may not fit the 32 bits of Int.',
  serialize(value) {
    if (Number.isSafeInteger(value)) return value as number;
    throw misread('SafeInt');
  },
  parseValue: (value) => safeInteger(value),
  parseLiteral(node) {
    if (node.kind === Kind.INT) return safeInteger(Number(node.value));
    throw new GraphQLError('SafeInt must be a whole number', { nodes: node });
  },
});

/** Not a GraphQLError: executors take those for the caller's mistake. */
const misread = (scalar: string) => new ServiceError('provider_error', { detail: `What was read is no ${scalar}.` });

function safeInteger(value: unknown): number {
  if (Number.isSafeInteger(value)) return value as number;
  throw new GraphQLError('SafeInt must be a whole number between -(2^53 - 1) and 2^53 - 1');
}
