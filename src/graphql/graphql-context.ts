import type { CursorCodec } from '../paging.ts';
import type { Ports } from '../ports.ts';
import type { RequestContext } from '../request-context.ts';
import { createLoaders, type Loaders } from './loaders.ts';

/** What every resolver receives. */
export interface GraphQLContext extends RequestContext {
  readonly ports: Ports;
  readonly loaders: Loaders;
  /** Seals the cursors of connections. */
  readonly cursors: CursorCodec;
}

/** The context of the resolvers of one request. */
export const createContext = (
  { ports, cursors }: Pick<GraphQLContext, 'ports' | 'cursors'>,
  request: RequestContext,
): GraphQLContext => ({ ...request, ports, cursors, loaders: createLoaders(ports, request) });
