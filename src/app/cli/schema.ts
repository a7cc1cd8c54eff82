/** Prints schema.graphql; with `--subgraph`, as composers of a supergraph read it. */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { buildSchema } from '../../capabilities/schema.ts';
import { subgraphSdl } from '../../graphql/federation/sdl.ts';
import { printedSchema } from '../../graphql/schema/print.ts';
import { type SetUp, setUps } from '../../kernel/set-up.ts';
import { reportFailure, UsageError } from './report-error.ts';

const usage = `Prints the GraphQL schema of this version.

Usage:
  npx postern schema [--set-up <set-up>] [--subgraph]

It prints the whole schema; with a set-up, what that one serves; with --subgraph, what composers of a supergraph read. It
reads no variable. "npm run schema" writes the whole schema to schema.graphql.

Set-ups: ${setUps.join(', ')}
`;

try {
  const { values } = parseArgs({
    options: {
      subgraph: { type: 'boolean' },
      'set-up': { type: 'string' },
      out: { type: 'string' },
      write: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const {
    'set-up': setUp,
    subgraph,
    write,
    out = write && setUp === undefined ? 'schema.graphql' : undefined,
  } = values;
  const text = () => (subgraph ? subgraphSdl : printedSchema)(buildSchema(setUpNamed(setUp)));
  if (values.help) process.stdout.write(usage);
  else if (out === undefined) process.stdout.write(text());
  else writeFileSync(out, text());
} catch (error) {
  reportFailure(error);
}

function setUpNamed(name = 'embedded'): SetUp {
  const found = setUps.find((each) => each === name);
  if (found === undefined) throw new UsageError(`${name} is no set-up: there are ${setUps.join(', ')}`);
  return found;
}
