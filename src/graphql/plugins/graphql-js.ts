import { execute } from 'graphql';
import type { Plugin } from 'graphql-yoga';

/**
 * Executes with graphql-js, as the other paths and subscriptions do (see subscribe.ts). Yoga's own executor takes every object with a property `then` for a
 * promise: an alias of that name fails the operation, a mutation after it was executed.
 */
export function useGraphQLJs(): Plugin {
  return { onExecute: ({ setExecuteFn }) => setExecuteFn(execute) };
}
