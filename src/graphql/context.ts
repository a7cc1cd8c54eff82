import type { Call } from '../call.ts';
import type { Ports } from '../context.ts';
import type { CursorCodec } from '../paging.ts';
import type { Loaders } from './loaders.ts';

/** What every resolver is given. */
export interface Context extends Call {
  readonly ports: Ports;
  readonly loaders: Loaders;
  /** Seals the cursors of connections. */
  readonly cursors: CursorCodec;
}
