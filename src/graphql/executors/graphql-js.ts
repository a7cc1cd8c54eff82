import { execute, type GraphQLSchema } from 'graphql';
import type { Executor } from '../exchange.ts';
import { type ContextOptions, createContext } from '../graphql-context.ts';

export interface GraphQLJsOptions extends ContextOptions {
  readonly schema: GraphQLSchema;
}

/**
 * Takes every query and mutation. Not with Yoga's own executor, which takes each object with a property `then` for a promise: an
 * alias of that name fails the operation, a mutation after it was executed.
 */
export const graphqlJs =
  (options: GraphQLJsOptions): Executor =>
  async (exchange) => {
    const { caller, operation, variables } = exchange;
    const result = await execute({
      schema: options.schema,
      document: operation.document,
      operationName: operation.node.name?.value,
      variableValues: variables,
      // What may be read without a caller needs no context.
      contextValue: caller === null ? undefined : createContext(options, exchange.contextOf(caller)),
    });
    return { result };
  };
