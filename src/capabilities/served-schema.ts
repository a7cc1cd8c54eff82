import type { GraphQLSchema } from 'graphql';
import { once } from '../kernel/lib/once.ts';
import type { SetUp } from '../kernel/set-up.ts';
import { buildSchema } from './build-schema.ts';

/** The schema that a gateway serves: that of its set-up, or the same as a subgraph. */
export interface ServedSchema {
  readonly schema: GraphQLSchema;
  /** The schema as text, for clients: a subgraph's, too, is without what only composers and gateways of supergraphs read. */
  readonly print: () => Promise<string>;
}

interface SchemaOptions {
  readonly setUp: SetUp;
  readonly federation: boolean;
  readonly introspection: boolean;
}

/** The schema as the configuration asks for it. What only a subgraph needs is loaded for one only. */
export async function servedSchema({ setUp, federation, introspection }: SchemaOptions): Promise<ServedSchema> {
  const schema = buildSchema(setUp);
  const print = async () => {
    const { printedSchema } = await import('../graphql/schema/print.ts');
    return printedSchema(schema);
  };
  if (!federation) return { schema, print };
  const { toSubgraph } = await import('../graphql/federation/subgraph.ts');
  const printSubgraph = once(async () => {
    const { subgraphSdl } = await import('../graphql/federation/sdl.ts');
    return subgraphSdl(schema);
  });
  return { schema: toSubgraph(schema, introspection ? printSubgraph : null), print };
}
