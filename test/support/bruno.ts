/**
 * The collection of Bruno in `examples/bruno`: the examples of GraphiQL, and the requests of the page of REST. `npm run docs`
 * writes it.
 */
import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Example, exampleGroups, exampleParts } from '../../src/pages/graphiql/examples.ts';
import { endpoints } from '../../src/rest/endpoints.ts';
import { linesOfSection, sectionOf } from './docs.ts';

export const brunoFolder = join(import.meta.dirname, '../../examples/bruno');

/** The files of the folder, that is all but those that nobody generates. */
export const brunoFiles = (): string[] => globSync('**/*.{bru,json}', { cwd: brunoFolder }).sort();

/** A block of the language of Bruno, whose lines are indented. */
const block = (name: string, text: string): string => `${name} {\n${text.replace(/^(?=.)/gm, '  ')}\n}\n`;

const entries = (of: Readonly<Record<string, string | number>>): string =>
  Object.entries(of)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

const settings: Readonly<Record<string, string>> = {
  'bruno.json': `${JSON.stringify({ version: '1', name: 'Postern', type: 'collection' }, null, 2)}\n`,
  'collection.bru': block('headers', 'X-API-KEY: {{key}}'),
  'environments/local.bru': `${block('vars', 'url: http://127.0.0.1:4000')}vars:secret [\n  key\n]\n`,
};

/** Read with errors beside its data, which it is there to show. */
const failing = 'TypedError';

/** A GraphQL request; none for a subscription, which Bruno cannot show. */
async function requestOf(example: Example, seq: number): Promise<string | null> {
  const { about, query } = await exampleParts(example);
  if (query.startsWith('subscription')) return null;
  const errors = example.name === failing ? 'isDefined' : 'isUndefined';
  return [
    block('meta', entries({ name: example.title, type: 'graphql', seq })),
    block('post', entries({ url: '{{url}}/graphql', body: 'graphql', auth: 'none' })),
    block('body:graphql', query.trimEnd()),
    block('body:graphql:vars', JSON.stringify(example.variables, null, 2)),
    block('assert', entries({ 'res.status': 'eq 200', 'res.body.errors': errors })),
    // What is said of a menu is said of GraphiQL.
    block('docs', about.filter((paragraph) => !paragraph.startsWith('The menu ')).join('\n\n')),
  ].join('\n');
}

/** A request of a line of curl. */
function requestOfLine(line: string, title: string, seq: number): string {
  const method = /-X (\w+)/.exec(line)?.[1] ?? 'GET';
  const [, path = '', query = ''] = /:4000(\/[^\s'?]*)(?:\?([^\s']*))?/.exec(line) ?? [];
  const endpoint = endpoints.find(
    (each) => each.method === method && new RegExp(`^/v1${each.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(path),
  );
  if (endpoint === undefined) throw new Error(`No endpoint is asked by ${line}`);
  const body = / -d '([^']*)'/.exec(line)?.[1];
  const headers = [...line.matchAll(/ -H '(?!content-type)([^']+)'/gi)].map(([, header]) => header);
  const parameters = Object.fromEntries(new URLSearchParams(query));
  const url = `{{url}}${path}${query && `?${query}`}`;
  return [
    block('meta', entries({ name: title, type: 'http', seq })),
    block(method.toLowerCase(), entries({ url, body: body === undefined ? 'none' : 'json', auth: 'none' })),
    ...(query === '' ? [] : [block('params:query', entries(parameters))]),
    ...(headers.length === 0 ? [] : [block('headers', headers.join('\n'))]),
    ...(body === undefined ? [] : [block('body:json', JSON.stringify(JSON.parse(body), null, 2))]),
    block('assert', entries({ 'res.status': `eq ${endpoint.status}` })),
  ].join('\n');
}

/** The name of each line of curl of the page, which stands above it. */
const titlesOfLines = (): string[] =>
  [...sectionOf('REST').matchAll(/^# \d+\. (.*)\ncurl /gm)].map(([, title = '']) => title.replace(/:.*/, ''));

/** The text of each file of the collection, by its path in `examples/bruno`. */
export async function brunoCollection(): Promise<ReadonlyMap<string, string>> {
  const files = new Map(Object.entries(settings));
  const folder = (name: string, seq: number) => files.set(`${name}/folder.bru`, block('meta', entries({ name, seq })));
  for (const [at, { title, examples }] of exampleGroups.entries()) {
    folder(title, at + 1);
    for (const [n, example] of examples.entries()) {
      const text = await requestOf(example, n + 1);
      if (text !== null) files.set(`${title}/${example.name}.bru`, text);
    }
  }
  folder('REST', exampleGroups.length + 1);
  const titles = titlesOfLines();
  for (const [n, line] of linesOfSection('REST', 'curl').entries())
    files.set(`REST/${titles[n]}.bru`, requestOfLine(line, titles[n] ?? '', n + 1));
  return files;
}

if (import.meta.main) {
  const files = await brunoCollection();
  for (const file of brunoFiles()) if (!files.has(file)) rmSync(join(brunoFolder, file));
  for (const [file, text] of files) {
    mkdirSync(dirname(join(brunoFolder, file)), { recursive: true });
    writeFileSync(join(brunoFolder, file), text);
  }
}
