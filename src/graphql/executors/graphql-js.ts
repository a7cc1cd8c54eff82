import { execute, type GraphQLSchema } from 'graphql';
import type { Executor } from '../exchange.ts';
import { type ContextOptions, createContext } from '../graphql-context.ts';

export interface GraphQLJsOptions extends ContextOptions {
  readonly schema: GraphQLSchema;
}

/** Yoga's executor takes an object with an alias `then` for a promise, and fails a mutation that was executed. */
export const graphqlJs =
  (options: GraphQLJsOptions): Executor =>
  async (exchange) => {
    // What reads nothing through a port would never wait: thousands of ids that are refused.
    const turn = exchange.turn();
    if (turn !== null) await turn;
    const { caller, operation, variables } = exchange;
    const result = await execute({
      schema: options.schema,
      document: operation.document,
      operationName: operation.node.name?.value,
      variableValues: variables,
      // Operations without a caller need no context.
      contextValue: caller === null ? undefined : createContext(options, exchange.contextOf(caller)),
    });
    return { result };
  };
