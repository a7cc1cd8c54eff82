import type { GraphQLContext } from '../graphql-context.ts';

export function readAnew<Value>(value: Value, _args: unknown, { loaders }: GraphQLContext): Value {
  // Loaders last as long as the stream: what an event selects must be read anew.
  for (const loader of Object.values(loaders)) loader.clearAll();
  return value;
}
