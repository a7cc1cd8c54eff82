import type { GraphQLSchema } from 'graphql';
import type { EndpointPage } from '../../graphql/server.ts';
import type { IncomingRequest } from '../../http/incoming-request.ts';
import { sendPage } from '../../http/send.ts';
import { assetRoutes, assetsPath } from '../../http/static-files.ts';
import { once } from '../../kernel/lib/once.ts';
import { barOf, type ServedPages } from '../bar.ts';
import { dataElement, htmlOf, policyOf } from '../html.ts';
import { graphiqlAssets, modulesOfPage } from './assets.ts';
import { type ServedGroup, servedExamples } from './examples.ts';
import { type SignIn, signInPath, signInRoutes } from './sign-in.ts';

interface GraphiQLOptions {
  /** Hands the demo key to the user who has the link; null if no key may be shown. */
  readonly signIn: SignIn | null;
  readonly served: ServedPages;
  readonly schema: GraphQLSchema;
  /** Whether everybody may read the schema. */
  readonly introspection: boolean;
}

/**
 * This origin only. Monaco has styles in attributes; images are in the style sheet. The ban on frames
 * prevents clickjacking of the "run" button.
 */
const graphiqlPolicy = policyOf(
  "worker-src 'self'",
  "connect-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self'",
  "img-src 'self' data:",
);

const wantsPage = ({ headers }: Pick<IncomingRequest, 'headers'>): boolean =>
  /\btext\/html\b/i.test(headers.accept ?? '');

/** Contains no secret: anybody may read it. */
export function createGraphiQL(endpoint: string, options: GraphiQLOptions): EndpointPage {
  const { signIn, served: pages, schema, introspection } = options;
  const assets = once(async () => graphiqlAssets(introspection ? schema : null, await servedExamples(schema)));

  const path = async (): Promise<string> => assetsPath(endpoint, (await assets()).version);
  const page = once(async () => {
    const at = await path();
    const groups = await servedExamples(schema);
    const preloads = modulesOfPage.map((module) => `<link rel="modulepreload" href="${at}/${module}">`).join('');
    return htmlOf({
      assets: at,
      styles: ['graphiql.css', 'page.css'],
      modules: ['boot.js', 'bar.js'],
      head: `${preloads}<script defer src="${at}/graphiql.js"></script>`,
      template: new URL('browser/page.html', import.meta.url),
      values: {
        bar: barOf(endpoint, pages, tools),
        examples: exampleMenu(groups),
        starts: startCards(groups),
        options: dataElement('graphiql', { endpoint, introspection, signIn: signIn !== null }),
      },
    });
  });
  const signInPage = once(async () =>
    htmlOf({
      assets: await path(),
      styles: ['controls.css'],
      modules: ['sign-in.js'],
      template: new URL('browser/sign-in.html', import.meta.url),
      values: {
        bar: barOf(endpoint, pages),
        endpoint,
        options: dataElement('sign-in', { exchange: signInPath(endpoint) }),
      },
    }),
  );

  return {
    routes: [...assetRoutes(endpoint, assets), ...(signIn === null ? [] : signInRoutes(endpoint, signIn))],
    wants: wantsPage,
    async send(request) {
      request.varyBy('accept');
      const [, query] = request.url.split('?', 2);
      const hasToken = signIn !== null && new URLSearchParams(query).has('token');
      sendPage(request, graphiqlPolicy, await (hasToken ? signInPage : page)());
    },
  };
}

/** Of the operation that is open. */
const tools =
  '<button type="button" id="examples-button" popovertarget="examples">Examples</button>' +
  '<button type="button" id="share">Share</button>' +
  '<button type="button" id="copy-button" popovertarget="copy">Copy as</button>' +
  '<select id="account" aria-label="Account in the variables" hidden><option value="">Account …</option></select>';

/** What nobody finds elsewhere. */
const starts: Readonly<Record<string, string>> = {
  FeedOfBoth: 'Posts of two networks in one list.',
  PublishWithOtp: 'Publish a job posting, and pass the checkpoint of its network.',
  WatchDeliveries: 'A subscription tells of each attempt to deliver an event.',
};

/** Examples to begin with, as far as they are served. */
const startCards = (groups: readonly ServedGroup[]): string =>
  groups
    .flatMap(({ examples }) => examples)
    .flatMap(({ name, title }) => {
      const about = starts[name];
      return about === undefined
        ? []
        : `<button type="button" data-example="${name}"><strong>${title}</strong> ${about}</button>`;
    })
    .join('');

/** The first example has the focus when the menu opens. */
const exampleMenu = (groups: readonly ServedGroup[]): string =>
  groups
    .map(
      ({ title, examples }, group) =>
        `<div><h2>${title}</h2><ul>${examples
          .map((example, index) => {
            const focus = group + index === 0 ? ' autofocus' : '';
            return `<li><button type="button" data-example="${example.name}"${focus}>${example.title}</button></li>`;
          })
          .join('')}</ul></div>`,
    )
    .join('');
