/** Pages as HTML: one head, and the body of each from its template. */
import { readFile } from 'node:fs/promises';
import { iconAddress } from './bar.ts';

interface Page {
  /** None for a page that stands for the product. */
  readonly title?: string;
  /** Where its files are. */
  readonly assets: string;
  readonly styles: readonly string[];
  readonly modules: readonly string[];
  /** What else is in its head. */
  readonly head?: string;
  /** Its body, with names in double braces. */
  readonly template: URL;
  readonly values: Readonly<Record<string, string>>;
}

export async function htmlOf({ title, assets, styles, modules, head = '', template, values }: Page): Promise<string> {
  const body = await readFile(template, 'utf8');
  const filled = body.replaceAll(/\{\{(\w+)\}\}/g, (_whole, name: string) => values[name] ?? '');
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title === undefined ? '' : `${title} · `}Postern</title>
    <link rel="icon" href="${iconAddress}">
    ${['bar.css', ...styles].map((name) => `<link rel="stylesheet" href="${assets}/${name}">`).join('')}
    ${modules.map((name) => `<script type="module" src="${assets}/${name}"></script>`).join('')}
    ${head}
  </head>
${filled}</html>
`;
}

/** A page's policy: scripts of this origin alone, none inline, and no frames around it. @param own further directives */
export const policyOf = (...own: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    ...own,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** Text in an attribute or between tags. */
export const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** Data for a script. With "<" escaped, nothing in it can close the element. */
export const dataElement = (id: string, data: object): string =>
  `<script type="application/json" id="${id}">${JSON.stringify(data).replaceAll('<', '\\u003c')}</script>`;
