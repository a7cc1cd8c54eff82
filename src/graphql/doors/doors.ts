import type { GraphQLSchema } from 'graphql';
import type { Compress } from '../../http/compression.ts';
import type { IncomingRequest } from '../../http/incoming-request.ts';
import type { ServeSocket } from '../../http/web-socket.ts';
import type { Authenticate } from '../../kernel/caller.ts';
import { once } from '../../kernel/lib/once.ts';
import { createPipeline, type PipelineOptions } from '../pipeline.ts';
import { jsonDoor } from './json.ts';

interface DoorsOptions extends PipelineOptions {
  readonly schema: GraphQLSchema;
  readonly compress: Compress | null;
  readonly authenticate: Authenticate;
}

export interface Doors {
  serve(request: IncomingRequest): Promise<void>;
  webSocket(): Promise<ServeSocket>;
}

export function openDoors(options: DoorsOptions): Doors {
  const { schema, compress, maxCost, turns, streams } = options;
  const pipeline = createPipeline(options);
  /** Yoga would be a third of all modules, and 25 MiB. Only the first stream of a process waits for it. */
  const yoga = once(async () => {
    const { yogaDoor } = await import('./yoga.ts');
    return yogaDoor({ schema, pipeline, stopping: streams.ended });
  });
  const webSocket = once(async () => {
    const { webSocketDoor } = await import('./websocket.ts');
    return webSocketDoor({ ...options, pipeline });
  });
  return {
    webSocket,
    serve: jsonDoor({
      pipeline,
      compress,
      maxCost,
      turns,
      yoga: async (exchange, refused) => (await yoga())(exchange, refused),
    }),
  };
}
