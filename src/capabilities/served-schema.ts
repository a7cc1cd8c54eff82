import type { GraphQLSchema } from 'graphql';
import { once } from '../kernel/lib/once.ts';
import { schema } from './schema.ts';

/** The schema that a gateway serves: that of schema.graphql, or the same as a subgraph. */
export interface ServedSchema {
  readonly schema: GraphQLSchema;
  /** The schema as text. A subgraph's is that which composers read. */
  readonly print: () => Promise<string>;
}

interface SchemaOptions {
  readonly federation: boolean;
  readonly introspection: boolean;
}

/** The schema as the configuration asks for it. What only a subgraph needs is loaded for one only. */
export async function servedSchema({ federation, introspection }: SchemaOptions): Promise<ServedSchema> {
  if (!federation) {
    return {
      schema,
      print: async () => {
        const { printedSchema } = await import('../graphql/schema/print.ts');
        return printedSchema(schema);
      },
    };
  }
  const { toSubgraph } = await import('../graphql/federation/subgraph.ts');
  const print = once(async () => {
    const { subgraphSdl } = await import('../graphql/federation/sdl.ts');
    return subgraphSdl(schema);
  });
  return { schema: toSubgraph(schema, introspection ? print : null), print };
}
