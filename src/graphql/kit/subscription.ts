import type { GraphQLContext } from '../graphql-context.ts';

/** Resolves a field of the subscription type with what the subscription yields. */
export function readAnew<Value>(value: Value, _args: unknown, { loaders }: GraphQLContext): Value {
  // They last as long as the stream: what an event selects is read when it happens, not when it was first selected.
  for (const loader of Object.values(loaders)) loader.clearAll();
  return value;
}
