import { type GraphQLSchema, introspectionFromSchema } from 'graphql';
import {
  type Assets,
  createAssets,
  readStaticFile,
  type StaticFile,
  sharedFiles,
  textTypes,
} from '../../http/static-files.ts';
import { slimBundle } from './bundle.ts';
import type { ServedExample, ServedGroup } from './examples.ts';

const graphiqlFolder = new URL('./browser/', import.meta.url);

const own = [
  'accounts.js',
  'boot.js',
  'card.js',
  'editors.js',
  'fetcher.js',
  'history.js',
  'log.js',
  'markup.js',
  'snippets.js',
  'status.js',
  'storage.js',
];

const ofBar = [
  'bar.js',
  'bar-accounts.js',
  'bar-queries.js',
  'elements.js',
  'gateway.js',
  'key-form.js',
  'skip-failed.js',
];

/** What the page loads before GraphiQL starts. Without a list of them, the browser finds each only in the one before. */
export const modulesOfPage: readonly string[] = [
  ...own,
  ...ofBar,
  'clipboard.js',
  'event-stream.js',
  'send-operation.js',
  'stored-key.js',
  'examples.js',
];

/** 9 MB that most processes never need. @param schema null if not everybody may read it @param groups of examples */
export async function graphiqlAssets(schema: GraphQLSchema | null, groups: readonly ServedGroup[]): Promise<Assets> {
  const bundle = await import('@graphql-yoga/render-graphiql/graphiql');
  const { script, formatter, styles, icons } = slimBundle(bundle);
  return createAssets([
    ['graphiql.js', textTypes.js, script],
    ['graphiql.css', textTypes.css, styles],
    ['icons.ttf', 'font/ttf', icons],
    ['formatter.js', textTypes.js, formatter],
    // Monaco's workers, under the labels by which it requests them.
    ['editorWorkerService.js', textTypes.js, bundle.editorWorkerService],
    ['json.js', textTypes.js, bundle.jsonWorker],
    ['graphql.js', textTypes.js, bundle.graphqlWorker],
    ...(await Promise.all([...own, 'sign-in.js'].map((name) => readStaticFile(name, textTypes.js, graphiqlFolder)))),
    await readStaticFile('page.css', textTypes.css, graphiqlFolder),
    ...(await sharedFiles()),
    exampleModule(groups.flatMap(({ examples }) => examples)),
    ...(schema === null ? [] : [introspectionOf(schema)]),
  ]);
}

/** By name: title, explanation, the texts of operation and variables, and which one to try next. */
function exampleModule(examples: readonly ServedExample[]): StaticFile {
  const texts = examples.map((example) => [example.name, textsOf(example, examples)] as const);
  return ['examples.js', textTypes.js, `export const examples = ${JSON.stringify(Object.fromEntries(texts))};\n`];
}

function textsOf(example: ServedExample, all: readonly ServedExample[]) {
  const { title, about, query, variables } = example;
  const text = Object.keys(variables).length === 0 ? '' : JSON.stringify(variables, null, 2);
  return { title, about, query, variables: text, next: nextExample(example, all).name };
}

/** The first one that "Try next" names, or the next of the menu. */
function nextExample(example: ServedExample, all: readonly ServedExample[]): ServedExample {
  const titles = [...(example.about.at(-1) ?? '').matchAll(/"([^"]+)"/g)].map(([, title]) => title);
  const named = all.find(({ title }) => titles.includes(title));
  return named ?? (all[(all.indexOf(example) + 1) % all.length] as ServedExample);
}

/** A file that browsers cache, unlike the response to an introspection, without what `buildClientSchema` takes for granted. */
function introspectionOf(schema: GraphQLSchema): StaticFile {
  const { __schema } = introspectionFromSchema(schema);
  const types = __schema.types.filter(({ name }) => !name.startsWith('__'));
  const withoutDefaults = (key: string, value: unknown) =>
    key !== 'interfaces' && (value === null || value === false) ? undefined : value;
  const text = JSON.stringify({ __schema: { ...__schema, types } }, withoutDefaults);
  return ['introspection.json', 'application/json; charset=utf-8', text];
}
