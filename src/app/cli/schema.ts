/** Prints schema.graphql; with `--subgraph`, as composers of a supergraph read it. */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { schema } from '../../capabilities/schema.ts';
import { subgraphSdl } from '../../graphql/federation/sdl.ts';
import { printedSchema } from '../../graphql/schema/print.ts';
import { reportFailure } from './report-error.ts';

const usage = `Prints the GraphQL schema of this version.

Usage:
  npm run schema
  npm run subgraph

schema writes schema.graphql; subgraph prints what composers of a supergraph read. Neither reads a variable.
`;

try {
  const { values } = parseArgs({
    options: { subgraph: { type: 'boolean' }, out: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  });
  const text = () => (values.subgraph ? subgraphSdl : printedSchema)(schema);
  if (values.help) process.stdout.write(usage);
  else if (values.out === undefined) process.stdout.write(text());
  else writeFileSync(values.out, text());
} catch (error) {
  reportFailure(error);
}
