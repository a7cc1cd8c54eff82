/** What the start page and the documentation share: files, the bar, the policy. */
import { readFile } from 'node:fs/promises';
import { endpoint } from '../../graphql/endpoint.ts';
import { icon } from '../../http/logo.ts';
import {
  type Assets,
  assetsPath,
  createAssets,
  readStaticFile,
  sharedModules,
  textTypes,
} from '../../http/static-files.ts';
import { once } from '../../kernel/lib/once.ts';
import { webhooksPage } from '../webhooks/page.ts';

export const docsPage = '/docs';

/** Which pages a gateway serves beside these. */
export interface OtherPages {
  readonly graphiql: boolean;
  readonly webhooksPage: boolean;
}

export const sitePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const folder = new URL('./browser/', import.meta.url);

export const siteAssets: () => Promise<Assets> = once(async () => {
  const own = [
    ['page.css', textTypes.css],
    ['page.js', textTypes.js],
    ['start.css', textTypes.css],
    ['start.js', textTypes.js],
  ] as const;
  const files = own.map(([name, type]) => readStaticFile(name, type, folder));
  return createAssets([...(await sharedModules()), ...(await Promise.all(files))]);
});

/** A page of `browser/`, with values for the names in double braces: those given, and those of every page. */
export async function fillPage(
  name: string,
  current: string,
  { graphiql, webhooksPage: hasWebhooks }: OtherPages,
  values: Readonly<Record<string, string>>,
): Promise<string> {
  const [template, { version }] = await Promise.all([readFile(new URL(name, folder), 'utf8'), siteAssets()]);
  const links: readonly (readonly [address: string, name: string, isServed: boolean])[] = [
    [endpoint, 'GraphiQL', graphiql],
    [webhooksPage, 'Webhooks', hasWebhooks],
    [docsPage, 'Docs', true],
  ];
  const bar = links.flatMap(([address, title, isServed]) => {
    const state = address === current ? ' aria-current="true"' : '';
    return isServed ? [`<a href="${address}"${state}>${title}</a>`] : [];
  });
  const all: Readonly<Record<string, string>> = {
    ...values,
    assets: assetsPath(docsPage, version),
    icon: `data:image/svg+xml,${encodeURIComponent(icon)}`,
    bar: bar.join(''),
  };
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_whole, key: string) => all[key] ?? '');
}

/** Text in an attribute or between tags. */
export const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
