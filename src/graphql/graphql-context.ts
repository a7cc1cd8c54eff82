import type { Admission } from '../auth/admission.ts';
import type { IncomingRequest } from '../http/incoming-request.ts';
import type { CursorCodec } from '../paging.ts';
import type { Ports } from '../ports.ts';
import type { RequestContext } from '../request-context.ts';
import { createLoaders, type Loaders } from './loaders.ts';

/** What Yoga and its plugins know of a request before its caller is authenticated. */
export interface Incoming {
  readonly http: IncomingRequest;
  /** The JSON of its body; undefined where it has none. */
  readonly body: unknown;
  /** The context of a request that fell back: its caller was admitted ahead of the router, and pages may have been read. */
  readonly admitted?: Promise<RequestContext> | undefined;
}

/** What every resolver receives. */
export interface GraphQLContext extends RequestContext {
  readonly ports: Ports;
  readonly loaders: Loaders;
  /** Seals the cursors of connections. */
  readonly cursors: CursorCodec;
}

/**
 * Counts a request that the executor is to serve, unless it was counted ahead of the router.
 * @throws ServiceError as {@link Admission}, or what refused the caller there
 */
export async function requireCounted(
  { http, admitted }: Incoming,
  { admitKeyless }: Pick<Admission, 'admitKeyless'>,
): Promise<void> {
  if (admitted === undefined) await admitKeyless(http);
  else await admitted;
}

/** The context of the resolvers of one request. */
export const createContext = (
  { ports, cursors }: Pick<GraphQLContext, 'ports' | 'cursors'>,
  request: RequestContext,
): GraphQLContext => ({ ...request, ports, cursors, loaders: createLoaders(ports, request) });
