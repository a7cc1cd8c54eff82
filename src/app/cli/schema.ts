/** Prints schema.graphql; with `--subgraph`, as composers of a supergraph read it. */
import { parseArgs } from 'node:util';
import { schema } from '../../capabilities/schema.ts';
import { subgraphSdl } from '../../graphql/federation/sdl.ts';
import { printedSchema } from '../../graphql/schema/print.ts';

const { values } = parseArgs({ options: { subgraph: { type: 'boolean' } } });
process.stdout.write(values.subgraph ? subgraphSdl(schema) : printedSchema(schema));
