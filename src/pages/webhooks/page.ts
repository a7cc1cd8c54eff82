/**
 * The static page for owners of webhooks. It reads GraphQL with the visitor's API key, so it shows no more than that
 * key may see.
 */
import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { endpoint } from '../../graphql/endpoint.ts';
import { icon } from '../../http/logo.ts';
import type { Route } from '../../http/router.ts';
import { sendPage } from '../../http/send.ts';
import {
  type Assets,
  assetRoutes,
  assetsPath,
  createAssets,
  readStaticFile,
  sharedModules,
  textTypes,
} from '../../http/static-files.ts';
import { once } from '../../kernel/lib/once.ts';

export const webhooksPage = '/webhooks';

/**
 * Only this origin's scripts and styles, none inline; nothing, not even the page's scripts, can turn text such as a
 * webhook's name into markup.
 */
const webhooksPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const webhooksFolder = new URL('./browser/', import.meta.url);

const pageAssets: () => Promise<Assets> = once(async () => {
  const names = (await readdir(webhooksFolder)).filter((name) => /\.(?:js|css)$/.test(name)).sort();
  const files = names.map((name) =>
    readStaticFile(name, extname(name) === '.css' ? textTypes.css : textTypes.js, webhooksFolder),
  );
  return createAssets([...(await sharedModules()), ...(await Promise.all(files))]);
});

/** The documents that the page sends. */
export async function documentsOfPage(): Promise<readonly string[]> {
  // A module of the browser, without types.
  const queries: Readonly<Record<string, string>> = await import(new URL('queries.js', webhooksFolder).href);
  return Object.values(queries);
}

async function readWebhooksPage(hasGraphiQL: boolean): Promise<string> {
  const [text, { version }] = await Promise.all([readFile(new URL('page.html', webhooksFolder), 'utf8'), pageAssets()]);
  return text
    .replaceAll('{{assets}}', assetsPath(webhooksPage, version))
    .replaceAll('{{icon}}', `data:image/svg+xml,${encodeURIComponent(icon)}`)
    .replace('{{graphiql}}', hasGraphiQL ? `<a href="${endpoint}">GraphiQL</a>` : '');
}

/** @param hasGraphiQL whether the page can link to GraphiQL */
export function webhooksPageRoutes(hasGraphiQL: boolean): Route[] {
  const pageText = once(() => readWebhooksPage(hasGraphiQL));
  return [
    ...assetRoutes(webhooksPage, pageAssets),
    {
      method: 'GET',
      path: webhooksPage,
      serve: async (request) => sendPage(request, webhooksPolicy, await pageText()),
    },
  ];
}
