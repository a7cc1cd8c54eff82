/** What the start page and the documentation share: files, the bar, the policy. */
import { type Assets, assetsPath, createAssets, filesIn, sharedFiles } from '../../http/static-files.ts';
import { once } from '../../kernel/lib/once.ts';
import { barOf, docsPage, type ServedPages, searchLink } from '../bar.ts';
import { htmlOf, policyOf } from '../html.ts';

export const sitePolicy = policyOf("connect-src 'self'", "style-src 'self'", "img-src 'self' data:");

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
