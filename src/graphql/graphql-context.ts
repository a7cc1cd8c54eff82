import type { Loaders } from '../capabilities/loaders.ts';
import type { Idempotency } from '../kernel/idempotency.ts';
import type { CursorCodec } from '../kernel/paging.ts';
import type { Ports } from '../kernel/ports.ts';
import type { RequestContext } from '../kernel/request-context.ts';

export interface GraphQLContext extends RequestContext {
  readonly ports: Ports;
  readonly loaders: Loaders;
  readonly cursors: CursorCodec;
  /** Null with forwarded keys: the service stores them. */
  readonly storedResponses: Idempotency | null;
}
