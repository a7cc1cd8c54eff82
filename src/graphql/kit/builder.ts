import type { InterfaceParam } from '@pothos/core';
import SchemaBuilder from '@pothos/core';
import type { GraphQLContext } from '../graphql-context.ts';
import { inheritMaxAge } from './cache-hint.ts';
import { needsPlugin } from './needs.ts';

export const builder = new SchemaBuilder<{
  Context: GraphQLContext;
  DefaultFieldNullability: false;
  Scalars: {
    ID: { Input: string; Output: string };
    /** A number is of seconds or milliseconds since the epoch, as networks send it. */
    DateTime: { Input: string; Output: string | number };
    Currency: { Input: string; Output: string };
    JSON: { Input: unknown; Output: unknown };
  };
}>({
  defaultFieldNullability: false,
  plugins: [needsPlugin],
});

export type SchemaTypes = (typeof builder)['$inferSchemaTypes'];

builder.queryType({ description: 'Read operations. They have no side effects.' });
builder.mutationType({
  description: 'Write operations. Expected failures are data: see `ServiceError`.',
});
builder.subscriptionType({ description: 'Live updates, over a WebSocket, server-sent events or multipart.' });

/** A type of objects that are read with their parents, and cached as long as these. */
export const partType = <Shape>(
  name: string,
  options: Omit<PothosSchemaTypes.ObjectTypeOptions<SchemaTypes, Shape>, 'name' | 'extensions' | 'interfaces'> & {
    readonly interfaces?: InterfaceParam<SchemaTypes>[];
  },
) => builder.objectRef<Shape>(name).implement({ ...options, extensions: inheritMaxAge });
