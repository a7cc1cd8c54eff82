import type { GraphQLSchema } from 'graphql';
import type { Loaders } from '../../../capabilities/loaders.ts';
import type { Ports } from '../../../kernel/ports.ts';
import type { RequestContext } from '../../../kernel/request-context.ts';
import type { Executor } from '../../exchange.ts';
import type { GraphQLContext } from '../../graphql-context.ts';
import { execute } from './execute.ts';

/** What the contexts of all operations share. */
interface ContextOptions extends Pick<GraphQLContext, 'ports' | 'cursors' | 'storedResponses'> {
  readonly createLoaders: (ports: Ports, request: RequestContext) => Loaders;
}

export interface ResolvingOptions extends ContextOptions {
  readonly schema: GraphQLSchema;
}

/** Executes whatever no other executor takes. Yoga's would take an object with an alias `then` for a promise. */
export const resolving =
  (options: ResolvingOptions): Executor =>
  async (exchange) => {
    // Operations that read nothing through a port would never wait, such as thousands of ids that are refused.
    const turn = exchange.turn();
    if (turn !== null) {
      await turn;
      exchange.http.clientAborted.throwIfAborted();
    }
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

/** Creates the context of one operation, or of one event of a subscription. */
export const createContext = (
  { ports, cursors, storedResponses, createLoaders }: ContextOptions,
  request: RequestContext,
): GraphQLContext => ({ ...request, ports, cursors, storedResponses, loaders: createLoaders(ports, request) });
