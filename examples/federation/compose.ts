/** Composes both subgraphs into one schema. `rover` and the command line of Hive do the same. */
import { writeFile } from 'node:fs/promises';
import { composeServices } from '@theguild/federation-composition';
import { parse } from 'graphql';
import * as owners from './owners.ts';
import { address } from './settings.ts';

async function readSubgraph(name: string, url: string) {
  const body = JSON.stringify({ query: '{ _service { sdl } }' });
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const { data, errors } = await response.json();
  if (!data) throw new Error(`${name}: ${errors?.[0]?.message}`);
  return { name, url, typeDefs: parse(data._service.sdl) };
}

const subgraphs = [readSubgraph('postern', `${address}/graphql`), readSubgraph('owners', owners.url)];
const { supergraphSdl, errors } = composeServices(await Promise.all(subgraphs));
if (!supergraphSdl) throw new AggregateError(errors ?? [], 'The subgraphs do not compose');
await writeFile('supergraph.graphql', supergraphSdl);
