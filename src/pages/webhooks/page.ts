/**
 * The page for people who own webhooks: how deliveries are doing, and what to do about them. It is static: what it shows,
 * it reads with the visitor's API key from GraphQL, so it can show no more than that key may see.
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

/** Where the page is. */
export const webhooksPage = '/webhooks';

/**
 * Scripts and styles of this origin only, none of them in the page. Nothing can turn text into markup, not even the page's
 * own scripts: whatever a webhook is called, it is text.
 */
const policy = [
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

const folder = new URL('./browser/', import.meta.url);

/** Reads the files at the first request. */
const pageAssets: () => Promise<Assets> = once(async () => {
  const names = (await readdir(folder)).filter((name) => /\.(?:js|css)$/.test(name)).sort();
  const files = names.map((name) =>
    readStaticFile(name, extname(name) === '.css' ? textTypes.css : textTypes.js, folder),
  );
  return createAssets([...(await sharedModules()), ...(await Promise.all(files))]);
});

/** The documents that the page sends, as texts. */
export async function documentsOfPage(): Promise<readonly string[]> {
  // A module of the browser, which has no types.
  const queries: Readonly<Record<string, string>> = await import(new URL('queries.js', folder).href);
  return Object.values(queries);
}

async function readPage(hasGraphiQL: boolean): Promise<string> {
  const [text, { version }] = await Promise.all([readFile(new URL('page.html', folder), 'utf8'), pageAssets()]);
  return text
    .replaceAll('{{assets}}', assetsPath(webhooksPage, version))
    .replaceAll('{{icon}}', `data:image/svg+xml,${encodeURIComponent(icon)}`)
    .replace('{{graphiql}}', hasGraphiQL ? `<a href="${endpoint}">GraphiQL</a>` : '');
}

/**
 * The page and its files.
 * @param hasGraphiQL whether the page can link to GraphiQL
 */
export function webhooksPageRoutes(hasGraphiQL: boolean): Route[] {
  const pageText = once(() => readPage(hasGraphiQL));
  return [
    ...assetRoutes(webhooksPage, pageAssets),
    {
      method: 'GET',
      path: webhooksPage,
      serve: async (request) => sendPage(request, policy, await pageText()),
    },
  ];
}
