/** A page of the documentation as HTML: its headings have the anchors that links lead to, and its links stay on the site. */
import { posix } from 'node:path';
import { Marked, type Tokens } from 'marked';
import { escapeText } from '../html.ts';
import { highlight } from './highlight.ts';

/** The part of an address by which a heading is linked to: as GitHub makes it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

interface Place {
  /** In the repository: links are relative to it. */
  readonly path: string;
  /** Null for a file that is not served. */
  readonly addressOf: (path: string) => string | null;
  /** GraphiQL's address, which operations link to; null without it. */
  readonly runAt: string | null;
}

export function renderPage(text: string, { path, addressOf, runAt }: Place): string {
  const served = (link: string): string | null => {
    if (/^(?:https?:|#)/.test(link)) return link;
    const [file = '', anchor] = link.split('#');
    const address = addressOf(posix.join(posix.dirname(path), file));
    return address === null || anchor === undefined ? address : `${address}#${anchor}`;
  };
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text: heading }) {
        const anchor = anchorOf(heading);
        const link = depth === 1 ? '' : ` <a class="anchor" href="#${anchor}" aria-hidden="true" tabindex="-1">#</a>`;
        return `<h${depth} id="${anchor}">${this.parser.parseInline(tokens)}${link}</h${depth}>\n`;
      },
      // On a phone a row is a card: its cells have the names of their columns.
      table({ header, rows }) {
        const names = header.map(({ text: name }) => escapeText(name.replaceAll(/[`*]|\[|\]\(.*?\)/g, '')));
        const cells = (name: string, of: readonly Tokens.TableCell[]): string =>
          of
            .map(({ tokens, align }, at) => {
              const label = name === 'td' && names[at] ? ` data-label="${names[at]}"` : '';
              return `<${name}${align === null ? '' : ` align="${align}"`}${label}>${this.parser.parseInline(tokens)}</${name}>`;
            })
            .join('');
        const body = rows.map((row) => `<tr>${cells('td', row)}</tr>\n`).join('');
        return `<table>\n<thead><tr>${cells('th', header)}</tr></thead>\n<tbody>${body}</tbody></table>\n`;
      },
      // The keyboard reaches what is wider than the page.
      code({ text: code, lang }) {
        const isOperation = lang === 'graphql' && /^(?:query|mutation|subscription|\{)/.test(code);
        const run =
          isOperation && runAt !== null
            ? `<a href="${runAt}#query=${encodeURIComponent(code)}">Run in GraphiQL</a>`
            : '';
        return `<div class="code"><pre tabindex="0"><code>${highlight(code, lang)}\n</code></pre><div class="tools">${run}</div></div>\n`;
      },
      // A file of the repository that is not served is its name.
      link({ href, tokens }) {
        const address = served(href);
        const shown = this.parser.parseInline(tokens);
        return address === null ? shown : `<a href="${escapeText(address)}">${shown}</a>`;
      },
      image: ({ href, text: alt }) => `<img src="${escapeText(served(href) ?? '')}" alt="${escapeText(alt)}">`,
      // Comments mark the tables that are generated.
      html: () => '',
    },
  });
  return marked.parse(text, { async: false });
}

interface Section {
  /** Empty for what stands before the first heading. */
  readonly anchor: string;
  readonly heading: string;
  readonly text: string;
}

/** The sections of a rendered page, as text. */
export const sectionsOf = (page: string): Section[] =>
  page.split(/(?=<h[23] id=")/).map((part) => {
    const [whole = '', anchor = '', heading = ''] =
      /^<h[23] id="([^"]+)">(.*?) <a class="anchor".*?<\/h[23]>/.exec(part) ?? [];
    return { anchor, heading: textOf(heading), text: textOf(part.slice(whole.length)) };
  });

const textOf = (html: string): string =>
  html
    .replaceAll(/<h1.*?<\/h1>|<div class="tools">.*?<\/div>/gs, '')
    .replaceAll(/<\/?span[^<>]*>/g, '')
    .replaceAll(/<[^<>]*>/g, ' ')
    .replaceAll(/&(?:lt|gt|quot|#39|#x27|amp);/g, (entity) => characters[entity] ?? entity)
    .replaceAll(/\s+/g, ' ')
    .trim();

const characters: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&#x27;': "'",
  '&amp;': '&',
};
