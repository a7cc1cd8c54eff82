/** A page of the documentation as HTML: its headings have the anchors that links lead to, and its links stay on the site. */
import { posix } from 'node:path';
import { Marked } from 'marked';

/** The part of an address by which a heading is linked to: as GitHub makes it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

/** Links are relative to `path` in the repository. @param addressOf null for a file that is not served */
export function renderPage(text: string, path: string, addressOf: (path: string) => string | null): string {
  const served = (link: string): string | null => {
    if (/^(?:https?:|#)/.test(link)) return link;
    const [file = '', anchor] = link.split('#');
    const address = addressOf(posix.join(posix.dirname(path), file));
    return address === null || anchor === undefined ? address : `${address}#${anchor}`;
  };
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text: heading }) {
        return `<h${depth} id="${anchorOf(heading)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
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

/** Text in an attribute or between tags. */
const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
