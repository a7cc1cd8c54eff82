import type { Loaders } from '../capabilities/loaders.ts';
import type { CursorCodec } from '../kernel/paging.ts';
import type { Ports } from '../kernel/ports.ts';
import type { RequestContext } from '../kernel/request-context.ts';

/** What every resolver receives. */
export interface GraphQLContext extends RequestContext {
  readonly ports: Ports;
  readonly loaders: Loaders;
  /** Seals the cursors of connections. */
  readonly cursors: CursorCodec;
}

/** What the contexts of all requests are made of. */
export interface ContextOptions extends Pick<GraphQLContext, 'ports' | 'cursors'> {
  readonly createLoaders: (ports: Ports, request: RequestContext) => Loaders;
}

/** The context of the resolvers of one request. */
export const createContext = (
  { ports, cursors, createLoaders }: ContextOptions,
  request: RequestContext,
): GraphQLContext => ({ ...request, ports, cursors, loaders: createLoaders(ports, request) });
