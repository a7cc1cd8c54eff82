/** A page of the documentation as HTML: its headings have the anchors that links lead to, and its links stay on the site. */
import { posix } from 'node:path';
import { Marked, type Tokens } from 'marked';
import { endpoint } from '../../graphql/endpoint.ts';
import { client, curl, javaScript } from '../graphiql/browser/snippets.js';
import { escapeText } from '../html.ts';
import { highlight } from './highlight.ts';

/** The part of an address by which a heading is linked to: as GitHub makes it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

/** The beginning of addresses in snippets. A browser puts that of the gateway in its place. */
const origin = 'http://127.0.0.1:4000';

/** Programs that send an operation, by the names of their tabs. */
const snippets = [
  ['curl', 'sh', curl],
  ['fetch', 'ts', javaScript],
  ['client', 'ts', client],
] as const;

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
      // After the language of an operation stand its variables, or whose directives it has: then only that client can send it.
      // Browsers show one `pre` of a block at a time, under tabs.
      code({ text: code, lang = '' }) {
        const [language = '', ...rest] = lang.split(' ');
        const note = rest.join(' ') || '{}';
        // The keyboard reaches what is wider than the page.
        const pre = (text: string, of: string, attributes = '') =>
          `<pre tabindex="0"${attributes}><code>${highlight(text.trimEnd(), of)}\n</code></pre>`;
        if (language !== 'graphql' || !note.startsWith('{') || !/^(?:query|mutation|subscription|\{)/.test(code))
          return `<div class="code">${pre(code, language)}<div class="tools"></div></div>\n`;
        const hash = new URLSearchParams({ query: code, ...(note === '{}' ? {} : { variables: note }) });
        const run = runAt === null ? '' : `<a href="${runAt}#${escapeText(String(hash))}">Run in GraphiQL</a>`;
        const sent = { url: origin + endpoint, query: code, variables: JSON.parse(note) };
        const others = snippets.map(([name, of, write]) => pre(write(sent), of, ` data-tab="${name}" hidden`));
        return `<div class="code" data-origin="${origin}">${pre(code, language, ' data-tab="GraphQL"')}${others.join('')}<div class="tools">${run}</div></div>\n`;
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
    .replaceAll(/<h1.*?<\/h1>|<pre[^>]* hidden>.*?<\/pre>|<div class="tools">.*?<\/div>/gs, '')
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
