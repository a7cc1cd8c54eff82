import type { GraphQLSchema } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Compress } from '../../http/compression.ts';
import type { Authenticate } from '../../kernel/caller.ts';
import { once } from '../../kernel/lib/once.ts';
import { createPipeline, type PipelineOptions } from '../pipeline.ts';
import { yogaDoor } from './yoga.ts';

interface DoorsOptions extends PipelineOptions {
  readonly schema: GraphQLSchema;
  readonly compress: Compress | null;
  readonly authenticate: Authenticate;
  /** Plugins of Yoga's ecosystem, beside the pipeline. */
  readonly plugins?: readonly Plugin[] | undefined;
}

export type Doors = ReturnType<typeof openDoors>;

export function openDoors(options: DoorsOptions) {
  const pipeline = createPipeline(options);
  const webSocket = once(async () => {
    const { webSocketDoor } = await import('./websocket.ts');
    return webSocketDoor({ ...options, pipeline });
  });
  return { webSocket, serve: yogaDoor({ ...options, pipeline, stopping: options.streams.ended }) };
}
