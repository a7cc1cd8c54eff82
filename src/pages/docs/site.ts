/** What the start page and the documentation share: files, the bar, the policy. */
import { readFile } from 'node:fs/promises';
import { type Assets, assetsPath, createAssets, filesIn, sharedFiles } from '../../http/static-files.ts';
import { once } from '../../kernel/lib/once.ts';
import { barOf, docsPage, iconAddress, type ServedPages } from '../bar.ts';

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

const search = `<dialog id="search" aria-label="Search" data-index="${indexPath}"><input type="search" aria-label="Words" placeholder="Search the documentation" autocomplete="off" autofocus><ol aria-live="polite"></ol></dialog>`;
const searchButton = '<button type="button" id="search-button" hidden>Search <kbd>Ctrl K</kbd></button>';

/** A page of `browser/`, with values for the names in double braces: those given, and those of every page. */
export async function fillPage(
  name: string,
  current: string,
  pages: ServedPages,
  values: Readonly<Record<string, string>>,
): Promise<string> {
  const [template, { version }] = await Promise.all([readFile(new URL(name, folder), 'utf8'), siteAssets()]);
  const all: Readonly<Record<string, string>> = {
    ...values,
    assets: assetsPath(docsPage, version),
    icon: iconAddress,
    search,
    bar: barOf(current, pages, template.includes('{{search}}') ? searchButton : ''),
  };
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_whole, key: string) => all[key] ?? '');
}

/** Text in an attribute or between tags. */
export const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
