/** The documentation of the repository at `/docs`, without internet access. A page is rendered with its first request. */
import { readFile } from 'node:fs/promises';
import { endpoint } from '../../graphql/endpoint.ts';
import { type StaticDocument, sendDocument, staticDocument } from '../../http/documents.ts';
import { pageHeaders } from '../../http/headers.ts';
import type { Route } from '../../http/router.ts';
import { jsonType, sendBody } from '../../http/send.ts';
import { assetRoutes } from '../../http/static-files.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { entriesOf, keysOf } from '../../kernel/lib/objects.ts';
import { once } from '../../kernel/lib/once.ts';
import { docsPage, type ServedPages } from '../bar.ts';
import { indexPath, siteAssets, sitePage, sitePolicy } from './site.ts';

/** Policy of a drawing that is opened as a page. */
const picturePolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

/** The pages by their paths in the repository, in the groups of the menu, which are those of the README. */
const groups: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '': { 'README.md': 'Start' },
  'The API': {
    'docs/use/graphiql.md': 'GraphiQL',
    'docs/use/jobs-and-posts.md': 'Jobs and posts page',
    'docs/use/sandbox.md': 'Sandbox',
    'docs/use/schema.md': 'Schema',
    'docs/use/errors.md': 'Errors and null',
    'docs/use/webhooks.md': 'Webhooks',
    'docs/use/events.md': 'Events of accounts',
    'docs/use/subscriptions.md': 'Subscriptions',
    'docs/use/rest.md': 'REST',
    'docs/use/limits.md': 'Limits',
    'docs/use/glossary.md': 'Glossary',
  },
  Clients: {
    'docs/use/typescript.md': 'TypeScript',
    'docs/use/apollo-client.md': 'Apollo Client',
    'docs/use/urql.md': 'urql',
    'docs/use/relay.md': 'Relay',
    'docs/use/bff.md': 'Backend for frontend',
    'docs/use/browser.md': 'Browsers and CORS',
  },
  'Larger systems': {
    'docs/use/persisted-operations.md': 'Persisted operations',
    'docs/use/federation.md': 'Federation and stitching',
    'docs/use/upgrade.md': 'Upgrade of clients',
  },
  'To run it': {
    'docs/run/deployment.md': 'Deployment',
    'docs/run/configuration.md': 'Configuration',
    'docs/run/commands.md': 'Commands',
    'docs/run/embed.md': 'In a program',
    'docs/run/keys.md': 'API keys',
    'docs/run/proxy-mode.md': 'Proxy mode',
    'docs/run/operations.md': 'Operations',
    'docs/run/upgrade.md': 'Upgrade',
    'docs/run/observability.md': 'Observability',
    'docs/run/caching.md': 'Caching',
    'docs/run/compression.md': 'Compression',
  },
  'To change it': {
    'CONTRIBUTING.md': 'Contributing',
    'docs/develop/architecture.md': 'Architecture',
    'docs/develop/recipes.md': 'Recipes',
    'docs/develop/testing.md': 'Testing',
    'docs/develop/compiled-operations.md': 'Compiled operations',
    'docs/develop/benchmarks.md': 'Benchmarks',
    'CHANGELOG.md': 'Changelog',
    'SECURITY.md': 'Security',
  },
};

export const documentationPages: Readonly<Record<string, string>> = Object.assign({}, ...Object.values(groups));

/** Files beside the pages: folders of the repository, by the folder in which they are served. */
export const folders = {
  images: { folder: 'docs/images', names: /^[\w-]+\.(?:png|svg)$/ },
  signatures: { folder: 'examples/signatures', names: /^verify\.(?:go|php|py|rb)$/ },
} as const;

const mediaTypes: Readonly<Record<string, string>> = { png: 'image/png', svg: 'image/svg+xml' };

const root = new URL('../../../', import.meta.url);

/** Where a file of the repository is served; null if it is not. */
function addressOf(path: string): string | null {
  if (path === 'README.md') return docsPage;
  if (path in documentationPages)
    return `${docsPage}/${path
      .replace(/^docs\//, '')
      .replace(/\.md$/, '')
      .toLowerCase()}`;
  if (path === 'schema.graphql') return '/schema.graphql';
  const [name = ''] = path.split('/').slice(-1);
  const served = keysOf(folders).find((at) => path === `${folders[at].folder}/${name}` && folders[at].names.test(name));
  return served === undefined ? null : `${docsPage}/${served}/${name}`;
}

/** Every page with its name, in the order of the menu. */
export const addressesOfPages = Object.entries(documentationPages).map(([path, name]) => ({
  address: addressOf(path) ?? docsPage,
  name,
}));

async function readText(path: string, hasGraphiQL: boolean): Promise<string> {
  // Loaded with the first page that is read: no start waits for it.
  const { renderPage } = await import('./render.ts');
  const text = await readFile(new URL(path, root), 'utf8');
  const page = renderPage(text, { path, addressOf, runAt: hasGraphiQL ? endpoint : null });
  const [start = '', ...images] = page.split(`<img src="${docsPage}/images/`);
  return start + (await Promise.all(images.map(sized))).join('');
}

/** @param rest of a page, from the name of an image */
async function sized(rest: string): Promise<string> {
  const [name = ''] = rest.split('"', 1);
  return `<img ${await sizeOf(name)} src="${docsPage}/images/${rest}`;
}

/** The size of an image as attributes: text behind it stands where it belongs before the image has come. */
async function sizeOf(name: string): Promise<string> {
  const bytes = await readFile(new URL(`docs/images/${name}`, root));
  const [, width, height] = name.endsWith('.svg')
    ? (/viewBox="0 0 (\d+) (\d+)"/.exec(bytes.toString()) ?? [])
    : [null, bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  return `width="${width}" height="${height}"`;
}

async function readPage(path: string, title: string, pages: ServedPages): Promise<StaticDocument> {
  const page = await readText(path, pages.graphiql);
  const contents = contentsOf(page);
  // Told at once: a page that arrives in parts must not move when its contents come.
  const layout = contents === '' ? '' : 'with-contents';
  const values = { title, page, turn: turnOf(path), menu: menuOf(path, page), contents, layout };
  return staticDocument('text/html; charset=utf-8', await sitePage('page', docsPage, pages, values));
}

/** Links to the headings of a page, as items of a list. */
const partsOf = (page: string): string =>
  [...page.matchAll(/<h2 id="([^"]+)">(.*?)<\/h2>/g)]
    .map(
      ([, anchor, heading = '']) =>
        `<li><a href="#${anchor}">${heading.replaceAll(/ <a class="anchor".*?<\/a>|<\/?a\b[^>]*>/g, '')}</a></li>`,
    )
    .join('');

/** Beside the text, where there is room. One heading needs none. */
function contentsOf(page: string): string {
  const parts = partsOf(page);
  return parts.split('<li>').length <= 2
    ? ''
    : `<nav class="contents" aria-labelledby="contents"><div><p id="contents">On this page</p><ul>${parts}</ul></div></nav>`;
}

/** All pages, and the parts of the one that is shown. */
function menuOf(path: string, page: string): string {
  const itemOf = ([each, name]: readonly [string, string]): string =>
    each === path
      ? `<li><a href="${addressOf(each)}" aria-current="page">${name}</a><ul>${partsOf(page)}</ul></li>`
      : `<li><a href="${addressOf(each)}">${name}</a></li>`;
  return Object.entries(groups)
    .map(([group, ofGroup]) => {
      const title = group === '' ? '' : `<p>${group}</p>`;
      return `${title}<ul>${Object.entries(ofGroup).map(itemOf).join('')}</ul>`;
    })
    .join('');
}

/** The pages before and after. */
function turnOf(path: string): string {
  const all = Object.entries(documentationPages);
  const place = all.findIndex(([each]) => each === path);
  const linkTo = (at: number, rel: string, name: string): string => {
    const [target, title] = all[at] ?? [];
    return target === undefined
      ? ''
      : `<a rel="${rel}" href="${addressOf(target)}"><small>${name}</small> ${title}</a>`;
  };
  return linkTo(place - 1, 'prev', 'Previous') + linkTo(place + 1, 'next', 'Next');
}

/** What the search looks through: `[address, page, heading, text]` of each section. */
async function readIndex(): Promise<StaticDocument> {
  const { sectionsOf } = await import('./render.ts');
  const index: string[][] = [];
  // One page after the other: all at once would hold up every request.
  for (const [path, title] of Object.entries(documentationPages)) {
    for (const { anchor, heading, text } of sectionsOf(await readText(path, false)))
      index.push([`${addressOf(path)}${anchor === '' ? '' : `#${anchor}`}`, title, heading || title, text]);
  }
  return staticDocument(jsonType, JSON.stringify(index));
}

export function docsRoutes(others: ServedPages): Route[] {
  const pages: Route[] = Object.entries(documentationPages).map(([path, title]) => {
    const page = once(() => readPage(path, title, others));
    return {
      method: 'GET',
      path: addressOf(path) ?? docsPage,
      async serve(request) {
        const document = await page();
        request.addHeaders(pageHeaders(sitePolicy));
        await sendDocument(document, request);
      },
    };
  });
  const fileRoutes = entriesOf(folders).map(
    ([at, { folder, names }]): Route => ({
      method: 'GET',
      path: `${docsPage}/${at}/:name`,
      async serve(request, { name = '' }) {
        const bytes = names.test(name) ? await readFile(new URL(`${folder}/${name}`, root)).catch(() => null) : null;
        if (bytes === null) throw new ServiceError('resource_not_found', { detail: 'There is no such file.' });
        request.addHeaders({
          'cache-control': 'public, max-age=3600',
          'content-security-policy': picturePolicy,
          'cross-origin-resource-policy': 'same-origin',
          'x-content-type-options': 'nosniff',
        });
        const [extension = ''] = name.split('.').slice(-1);
        sendBody(request, 200, mediaTypes[extension] ?? 'text/plain; charset=utf-8', bytes);
      },
    }),
  );
  const index = once(readIndex);
  const indexRoute: Route = {
    method: 'GET',
    path: indexPath,
    serve: async (request) => sendDocument(await index(), request),
  };
  return [...assetRoutes(docsPage, siteAssets), ...fileRoutes, indexRoute, ...pages];
}
