/**
 * A page of browser modules, without a framework or a build. It reads GraphQL with the visitor's API key, so it shows no more
 * than that key may see.
 */
import type { Route } from '../http/router.ts';
import { sendPage } from '../http/send.ts';
import { assetRoutes, assetsPath, createAssets, filesIn, sharedFiles } from '../http/static-files.ts';
import { once } from '../kernel/lib/once.ts';
import { barOf, type ServedPages, searchLink } from './bar.ts';
import { htmlOf } from './html.ts';

interface PageOptions {
  readonly path: string;
  readonly title: string;
  /** With `page.html`, modules and styles. */
  readonly folder: URL;
  /** Where its pictures may be, beside its own. */
  readonly pictures?: string;
}

/**
 * Only this origin's scripts and styles, none inline; nothing, not even the page's scripts, can turn text such as a
 * webhook's name into markup.
 */
const policyWith = (pictures: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    `img-src data: ${pictures}`.trim(),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');

/** @param values for the names in double braces in `page.html` */
export function clientPageRoutes(
  { path, title, folder, pictures = '' }: PageOptions,
  served: ServedPages,
  values: Readonly<Record<string, string>> = {},
): Route[] {
  const policy = policyWith(pictures);
  const assets = once(async () => createAssets([...(await sharedFiles()), ...(await filesIn(folder))]));
  const page = once(async () => {
    return htmlOf({
      title,
      assets: assetsPath(path, (await assets()).version),
      styles: ['controls.css', 'page.css'],
      modules: ['bar.js', 'main.js'],
      template: new URL('page.html', folder),
      values: { ...values, bar: barOf(path, served, searchLink) },
    });
  });
  return [
    ...assetRoutes(path, assets),
    { method: 'GET', path, serve: async (request) => sendPage(request, policy, await page()) },
  ];
}
