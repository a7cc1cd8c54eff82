/** The files of the GraphiQL page. */
import { type GraphQLSchema, introspectionFromSchema } from 'graphql';
import {
  type Assets,
  createAssets,
  readStaticFile,
  type StaticFile,
  sharedModules,
  textTypes,
} from '../../http/static-files.ts';
import { exampleOperation, examples } from './examples.ts';

const folder = new URL('./browser/', import.meta.url);

const scripts = ['boot.js', 'editors.js', 'fetcher.js', 'markup.js', 'sign-in.js', 'snippets.js', 'storage.js'];

/**
 * Reads the files: 9 MB that most processes never need.
 * @param schema is among them; null if not everybody may read it
 */
export async function graphiqlAssets(schema: GraphQLSchema | null): Promise<Assets> {
  const bundle = await import('@graphql-yoga/render-graphiql/graphiql');
  return createAssets([
    ['graphiql.js', textTypes.js, bundle.js],
    ['graphiql.css', textTypes.css, bundle.css],
    // Monaco's workers, under the labels by which it requests them.
    ['editorWorkerService.js', textTypes.js, bundle.editorWorkerService],
    ['json.js', textTypes.js, bundle.jsonWorker],
    ['graphql.js', textTypes.js, bundle.graphqlWorker],
    ...(await Promise.all(scripts.map((name) => readStaticFile(name, textTypes.js, folder)))),
    await readStaticFile('page.css', textTypes.css, folder),
    ...(await sharedModules()),
    await exampleModule(),
    ...(schema === null ? [] : [introspectionOf(schema)]),
  ]);
}

/** The examples by name: the texts of each operation and of its variables. */
async function exampleModule(): Promise<StaticFile> {
  const texts = await Promise.all(
    examples.map(async (example) => {
      const variables = JSON.stringify(example.variables, null, 2);
      return [example.name, { query: await exampleOperation(example), variables }] as const;
    }),
  );
  return ['examples.js', textTypes.js, `export const examples = ${JSON.stringify(Object.fromEntries(texts))};\n`];
}

/** The schema, as a file that browsers keep. The response to an introspection would be sent again with every visit. */
const introspectionOf = (schema: GraphQLSchema): StaticFile => [
  'introspection.json',
  'application/json; charset=utf-8',
  JSON.stringify(introspectionFromSchema(schema)),
];
