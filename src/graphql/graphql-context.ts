import type { CursorCodec } from '../paging.ts';
import type { Ports } from '../ports.ts';
import type { RequestContext } from '../request-context.ts';
import type { Loaders } from './loaders.ts';

/** What every resolver is given. */
export interface GraphQLContext extends RequestContext {
  readonly ports: Ports;
  readonly loaders: Loaders;
  /** Seals the cursors of connections. */
  readonly cursors: CursorCodec;
}
