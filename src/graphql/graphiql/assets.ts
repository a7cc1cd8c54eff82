/** The files of the GraphiQL page. */
import { readFile } from 'node:fs/promises';
import { type Assets, createAssets, textTypes } from '../../http/static-files.ts';
import { once } from '../../once.ts';

/** Reads the files at the first request: 9 MB that most processes never need. */
export const graphiqlAssets: () => Promise<Assets> = once(async () => {
  const own = (name: string) => readFile(new URL(name, import.meta.url), 'utf8');
  const [bundle, boot, signIn] = await Promise.all([
    import('@graphql-yoga/render-graphiql/graphiql'),
    own('boot.js'),
    own('sign-in.js'),
  ]);
  return createAssets([
    ['graphiql.js', textTypes.js, bundle.js],
    ['graphiql.css', textTypes.css, bundle.css],
    ['boot.js', textTypes.js, boot],
    ['sign-in.js', textTypes.js, signIn],
    // Monaco's workers, under the labels by which it requests them.
    ['editorWorkerService.js', textTypes.js, bundle.editorWorkerService],
    ['json.js', textTypes.js, bundle.jsonWorker],
    ['graphql.js', textTypes.js, bundle.graphqlWorker],
  ]);
});
