import type { FastifyRequest } from 'fastify';
import type { CursorCodec } from '../paging.ts';
import type { Ports } from '../ports.ts';
import type { RequestContext } from '../request-context.ts';
import type { Loaders } from './loaders.ts';

/** What Yoga and its plugins know of a request before its caller is authenticated. */
export interface Incoming {
  readonly http: FastifyRequest;
  /** What the compiled path began, if it fell back: the caller was admitted, and pages may have been read. */
  readonly begun?: Promise<RequestContext> | undefined;
}

/** What every resolver receives. */
export interface GraphQLContext extends RequestContext {
  readonly ports: Ports;
  readonly loaders: Loaders;
  /** Seals the cursors of connections. */
  readonly cursors: CursorCodec;
}
