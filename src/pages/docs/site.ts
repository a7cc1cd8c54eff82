/** What the start page and the documentation share: files, the bar, the policy, and what stands for a page that is not there. */
import { pathIn } from '../../http/request-head.ts';
import { type Refuse, refuseWithEnvelope, sendPage } from '../../http/send.ts';
import { type Assets, assetsPath, createAssets, filesIn, sharedFiles } from '../../http/static-files.ts';
import { once } from '../../kernel/lib/once.ts';
import { barOf, docsPage, type ServedPages, searchLink } from '../bar.ts';
import { escapeText, htmlOf } from '../html.ts';

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

export const siteAssets: () => Promise<Assets> = once(async () =>
  createAssets([...(await sharedFiles()), ...(await filesIn(folder))]),
);

export const indexPath = `${docsPage}/search.json`;

const search = `<dialog id="search-dialog" aria-label="Search" data-index="${indexPath}"><input type="search" aria-label="Words" placeholder="Search the documentation" autocomplete="off" autofocus><ol aria-live="polite"></ol></dialog>`;
const searchButton = '<button type="button" id="search-button" hidden>Search <kbd>Ctrl K</kbd></button>';

/** A page of `browser/`: its parts, and those of every page of the site. */
export async function sitePage(
  name: 'page' | 'start' | 'unknown',
  current: string,
  pages: ServedPages,
  { title, ...values }: Readonly<Record<string, string>>,
): Promise<string> {
  const { version } = await siteAssets();
  const isStart = name === 'start';
  return htmlOf({
    ...(title !== undefined && { title }),
    assets: assetsPath(docsPage, version),
    styles: name === 'page' ? ['page.css'] : ['page.css', 'start.css'],
    modules: ['bar.js', isStart ? 'start.js' : 'page.js'],
    template: new URL(`${name}.html`, folder),
    values: { ...values, search, bar: barOf(current, pages, isStart ? searchLink : searchButton) },
  });
}

/** Characters of an address that are shown. */
const longest = 100;

/**
 * What an address without a page gets: a browser a page with the bar and the search, a client the usual refusal.
 * @param isOfApi whether a path belongs to an API, whose clients get JSON even if they are browsers
 */
export function refusalOfUnknown(served: ServedPages, isOfApi: (path: string) => boolean): Refuse {
  return async (request, failure) => {
    const { method, headers, url } = request;
    const path = pathIn(url);
    request.varyBy('accept');
    const isOfBrowser = ['GET', 'HEAD'].includes(method) && /\btext\/html\b/i.test(headers.accept ?? '');
    // Of such a path, a malformed request or one too many is refused, too.
    const isUnknown = failure.type === 'errors/resource_not_found';
    if (!isUnknown || !isOfBrowser || isOfApi(path)) return refuseWithEnvelope(request, failure);
    const values = { title: 'No such page', address: escapeText(path.slice(0, longest)) };
    sendPage(request, sitePolicy, await sitePage('unknown', '', served, values), 404);
  };
}
