/** The bar of all pages: the same links, in the same places, and whose key the tab has. Its style and script are shared files. */
import { endpoint } from '../graphql/endpoint.ts';

export const webhooksPage = '/webhooks';
export const jobsAndPostsPage = '/jobs-and-posts';
export const docsPage = '/docs';

/** Of pages without the search of the documentation. */
export const searchLink = `<a class="search" href="${docsPage}#search">Search</a>`;

/** Which pages a gateway serves. */
export interface ServedPages {
  readonly graphiql: boolean;
  /** That of webhooks, and that of jobs and posts. */
  readonly webhooksPage: boolean;
}

/** A postern is a small gate in a wall. */
const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#5b3fd6"/><path d="M9 26V15a7 7 0 0 1 14 0v11z" fill="#fff"/><circle cx="19.5" cy="19.5" r="1.6" fill="#5b3fd6"/></svg>';

export const iconAddress = `data:image/svg+xml,${encodeURIComponent(icon)}`;

/**
 * @param current address of the page that has the bar
 * @param tools of this page alone, as HTML
 */
export function barOf(current: string, { graphiql, webhooksPage: hasPages }: ServedPages, tools = ''): string {
  const links: readonly (readonly [address: string, name: string, isServed: boolean])[] = [
    [endpoint, 'GraphiQL', graphiql],
    [webhooksPage, 'Webhooks', hasPages],
    [jobsAndPostsPage, 'Jobs and posts', hasPages],
    [docsPage, 'Docs', true],
  ];
  const items = links.flatMap(([address, name, isServed]) => {
    const state = address === current ? ' aria-current="true"' : '';
    return isServed ? [`<a href="${address}"${state}>${name}</a>`] : [];
  });
  return `<header id="bar"><a class="home" href="/" aria-label="Postern, start"><img src="${iconAddress}" alt="" width="28" height="28"><span>Postern</span></a><button type="button" class="menu" popovertarget="bar-pages">Pages</button><nav id="bar-pages" popover aria-label="Pages">${items.join('')}</nav><div class="bar-tools">${tools}</div><button type="button" id="bar-key" popovertarget="bar-whose" hidden>Key</button><section id="bar-whose" popover aria-label="Key of this tab"></section></header>`;
}
