import type { GraphQLSchema } from 'graphql';
import type { Config } from '../config/config.ts';
import { once } from '../once.ts';
import { schema } from './schema.ts';

/** The schema that a gateway serves: that of schema.graphql, or the same as a subgraph. */
export interface ServedSchema {
  readonly schema: GraphQLSchema;
  /** The schema as text. A subgraph's is that which composers read. */
  readonly print: () => Promise<string>;
}

export async function servedSchema({
  federation,
  introspection,
}: Pick<Config, 'federation' | 'introspection'>): Promise<ServedSchema> {
  if (!federation) {
    return {
      schema,
      print: once(async () => {
        const { printedSchema } = await import('./print.ts');
        return printedSchema(schema);
      }),
    };
  }
  const { toSubgraph } = await import('./federation/subgraph.ts');
  const print = once(async () => {
    const { subgraphSdl } = await import('./federation/sdl.ts');
    return subgraphSdl(schema);
  });
  return { schema: toSubgraph(schema, introspection ? print : null), print };
}
