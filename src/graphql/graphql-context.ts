import type { Loaders } from '../capabilities/loaders.ts';
import type { Idempotency } from '../kernel/idempotency.ts';
import type { CursorCodec } from '../kernel/paging.ts';
import type { Ports } from '../kernel/ports.ts';
import type { RequestContext } from '../kernel/request-context.ts';

/** What the contexts of all operations share. */
export interface ContextOptions extends Pick<GraphQLContext, 'ports' | 'cursors' | 'storedResponses'> {
  readonly createLoaders: (ports: Ports, request: RequestContext) => Loaders;
}

/** Of one operation, or of one subscription with all its events. */
export const createContext = (
  { ports, cursors, storedResponses, createLoaders }: ContextOptions,
  request: RequestContext,
): GraphQLContext => ({ ...request, ports, cursors, storedResponses, loaders: createLoaders(ports, request) });

export interface GraphQLContext extends RequestContext {
  readonly ports: Ports;
  readonly loaders: Loaders;
  readonly cursors: CursorCodec;
  /** Null with forwarded keys: the service stores them. */
  readonly storedResponses: Idempotency | null;
}
