/**
 * Pages of browser modules, without a framework or a build. They read GraphQL with the visitor's API key, so they show no more
 * than that key may see.
 */
import type { Route } from '../http/router.ts';
import { sendPage } from '../http/send.ts';
import { assetRoutes, assetsPath, createAssets, filesIn, sharedFiles } from '../http/static-files.ts';
import { once } from '../kernel/lib/once.ts';
import { barOf, jobsAndPostsPage, type ServedPages, searchLink, webhooksPage } from './bar.ts';
import { dataElement, htmlOf, policyOf } from './html.ts';

interface PageOptions {
  readonly path: string;
  readonly title: string;
  /** With `page.html`, modules and styles. */
  readonly folder: string;
  /** Where its pictures may be, beside its own. */
  readonly pictures?: string;
}

/**
 * Only this origin's scripts and styles, none inline; nothing, not even the page's scripts, can turn text such as a
 * webhook's name into markup.
 */
const policyWith = (pictures: string): string =>
  policyOf(
    "style-src 'self'",
    "connect-src 'self'",
    `img-src data: ${pictures}`.trim(),
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  );

/** @param values for the names in double braces in `page.html` */
function clientPageRoutes(
  { path, title, folder: name, pictures = '' }: PageOptions,
  served: ServedPages,
  values: Readonly<Record<string, string>> = {},
): Route[] {
  const folder = new URL(`./${name}/browser/`, import.meta.url);
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

/** The page for owners of webhooks. */
export const webhooksPageRoutes = (served: ServedPages): Route[] =>
  clientPageRoutes({ path: webhooksPage, title: 'Webhooks', folder: 'webhooks' }, served);

/** Identifiers to try, with their descriptions, by type of account. */
type Suggestions = Readonly<Record<string, readonly (readonly [identifier: string, description: string])[]>>;

interface JobsAndPosts extends ServedPages {
  /** Whether the schema has a list of job postings: without it, the page has posts alone. */
  readonly hasJobs: boolean;
  readonly suggestions: Suggestions;
  /** Where the pictures of the sandbox are; null if it has none. */
  readonly sandboxPictures: string | null;
}

/** The page for people whose accounts have job postings and posts. */
export function jobsAndPostsRoutes({ hasJobs, suggestions, sandboxPictures, ...served }: JobsAndPosts): Route[] {
  // Networks have their pictures where they like.
  const pictures = `'self' https:${sandboxPictures === null ? '' : ` ${new URL(sandboxPictures).origin}`}`;
  const parts = ['<a href="#posts">Posts</a>', ...(hasJobs ? ['<a href="#jobs">Job postings</a>'] : [])];
  return clientPageRoutes(
    { path: jobsAndPostsPage, title: 'Jobs and posts', folder: 'jobs-and-posts', pictures },
    served,
    {
      parts: parts.join(''),
      options: dataElement('options', { sandbox: suggestions, hasJobs }),
    },
  );
}
