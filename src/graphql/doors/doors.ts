/** The doors of GraphQL over one pipeline. */
import type { GraphQLSchema } from 'graphql';
import type { Compress } from '../../http/compression.ts';
import type { IncomingRequest } from '../../http/incoming-request.ts';
import { once } from '../../kernel/lib/once.ts';
import { createPipeline, type PipelineOptions } from '../pipeline.ts';
import { socketDoor } from './socket.ts';

export interface DoorsOptions extends PipelineOptions {
  readonly schema: GraphQLSchema;
  /** Null where no response is compressed. */
  readonly compress: Compress | null;
}

export interface Doors {
  /** Serves a request of which the body can be read. */
  serve(request: IncomingRequest): Promise<void>;
  /** Loads what no request has asked for so far. */
  warmUp(): Promise<void>;
}

export function openDoors(options: DoorsOptions): Doors {
  const { schema, compress, maxCost, streams } = options;
  const pipeline = createPipeline(options);
  /** Yoga and what it brings are a third of all modules: what needs no stream does not wait for them. */
  const yoga = once(async () => {
    const { yogaDoor } = await import('./yoga.ts');
    return yogaDoor({ schema, pipeline, stopping: streams.ended });
  });
  return {
    serve: socketDoor({ pipeline, compress, maxCost, yoga: async (exchange) => (await yoga())(exchange) }),
    async warmUp() {
      await yoga();
    },
  };
}
