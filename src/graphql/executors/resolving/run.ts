import type { GraphQLSchema } from 'graphql';
import type { Executor } from '../../exchange.ts';
import { type ContextOptions, createContext } from '../../graphql-context.ts';
import { execute } from './execute.ts';

export interface ResolvingOptions extends ContextOptions {
  readonly schema: GraphQLSchema;
}

/** Executes whatever no other executor takes. Yoga's would take an object with an alias `then` for a promise. */
export const resolving =
  (options: ResolvingOptions): Executor =>
  async (exchange) => {
    // Operations that read nothing through a port would never wait, such as thousands of ids that are refused.
    const turn = exchange.turn();
    if (turn !== null) await turn;
    const { caller, operation, values } = exchange;
    const result = await execute({
      schema: options.schema,
      document: operation.document,
      operation: operation.node,
      values,
      // Operations without a caller need no context.
      context: caller === null ? undefined : createContext(options, exchange.contextOf(caller)),
    });
    return { result };
  };
