/** What an address without a page gets: a browser a page with the nearest names and the search, a client the usual refusal. */
import { endpoint } from '../../graphql/endpoint.ts';
import { pathIn } from '../../http/request-head.ts';
import { type Refuse, refuseWithEnvelope, sendPage } from '../../http/send.ts';
import { docsPage, jobsAndPostsPage, type ServedPages, webhooksPage } from '../bar.ts';
import { escapeText } from '../html.ts';
import { addressesOfPages } from './page.ts';
import { sitePage, sitePolicy } from './site.ts';

interface Named {
  readonly address: string;
  readonly name: string;
}

/** Names that are shown. */
const mostNamed = 5;
/** Characters of an address that are compared, and shown. */
const longest = 100;

/**
 * The pages whose addresses are like another one, the nearest first; none if nothing is like it.
 * @param path such as `/docs/use/error.md`
 */
export function nearestTo(path: string, pages: readonly Named[]): readonly Named[] {
  const wanted = wordsOf(path);
  const near = pages.flatMap((page) => {
    const words = wordsOf(page.address);
    const last = distance(wanted.at(-1) ?? '', words.at(-1) ?? '');
    const whole = distance(wanted.join('/'), words.join('/'));
    // The last part says what a page is about; the others tell pages of one name apart.
    return last <= 0.4 || whole <= 0.2 ? [{ page, far: last + whole / 10 }] : [];
  });
  return near
    .sort((one, other) => one.far - other.far)
    .slice(0, mostNamed)
    .map(({ page }) => page);
}

/** The parts of an address, without the ending of a file. */
const wordsOf = (address: string): readonly string[] =>
  address
    .slice(0, longest)
    .toLowerCase()
    .replace(/\.(?:md|html?)$/, '')
    .split('/')
    .filter((word) => word !== '');

/** Characters to be changed, as a share of the longer text (Levenshtein). */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [line, letter] of [...one].entries()) {
    const next = [line + 1];
    for (let at = 1; at <= other.length; at += 1) {
      const replaced = (row[at - 1] ?? 0) + (letter === other[at - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1));
    }
    row = next;
  }
  return (row.at(-1) ?? 0) / Math.max(1, one.length, other.length);
}

/** @param isOfApi whether a path belongs to an API, whose clients get JSON even if they are browsers */
export function refusalOfUnknown(served: ServedPages, isOfApi: (path: string) => boolean): Refuse {
  const main: readonly Named[] = [
    { address: '/', name: 'Start' },
    ...(served.graphiql ? [{ address: endpoint, name: 'GraphiQL' }] : []),
    ...(served.webhooksPage
      ? [
          { address: webhooksPage, name: 'Webhooks' },
          { address: jobsAndPostsPage, name: 'Jobs and posts' },
        ]
      : []),
    { address: docsPage, name: 'Documentation' },
  ];
  const all = [...main, ...addressesOfPages.filter(({ address }) => address !== docsPage)];
  return async (request, failure) => {
    const { method, headers, url } = request;
    const path = pathIn(url);
    request.varyBy('accept');
    const isOfBrowser = ['GET', 'HEAD'].includes(method) && /\btext\/html\b/i.test(headers.accept ?? '');
    // Of such a path, a malformed request or one too many is refused, too.
    const isUnknown = failure.type === 'errors/resource_not_found';
    if (!isUnknown || !isOfBrowser || isOfApi(path)) return refuseWithEnvelope(request, failure);
    const near = nearestTo(path, all);
    const values = {
      title: 'No such page',
      address: escapeText(path.slice(0, longest)),
      hint: near.length > 0 ? 'Did you mean one of these?' : 'These pages are there:',
      names: (near.length > 0 ? near : main)
        .map(({ address, name }) => `<li><a href="${address}">${name}</a> <code>${address}</code></li>`)
        .join(''),
    };
    sendPage(request, sitePolicy, await sitePage('unknown', '', served, values), 404);
  };
}
