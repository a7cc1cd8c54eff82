import { readFile } from 'node:fs/promises';
import type { GraphQLSchema } from 'graphql';
import type { EndpointPage } from '../../graphql/server.ts';
import type { IncomingRequest } from '../../http/incoming-request.ts';
import { sendPage } from '../../http/send.ts';
import { assetRoutes, assetsPath } from '../../http/static-files.ts';
import { once } from '../../kernel/lib/once.ts';
import { barOf, iconAddress, type ServedPages } from '../bar.ts';
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
const graphiqlPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "connect-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const wantsPage = ({ headers }: Pick<IncomingRequest, 'headers'>): boolean =>
  /\btext\/html\b/i.test(headers.accept ?? '');

/** Contains no secret: anybody may read it. */
export function createGraphiQL(endpoint: string, options: GraphiQLOptions): EndpointPage {
  const { signIn, served: pages, schema, introspection } = options;
  const assets = once(async () => graphiqlAssets(introspection ? schema : null, await servedExamples(schema)));

  const render = async (name: string, parts: Readonly<Record<string, string>>): Promise<string> => {
    const path = assetsPath(endpoint, (await assets()).version);
    const modules = modulesOfPage.map((module) => `<link rel="modulepreload" href="${path}/${module}">`).join('');
    const values: typeof parts = {
      ...parts,
      assets: path,
      modules,
      icon: iconAddress,
      bar: barOf(endpoint, pages, name === 'page.html' ? tools : ''),
    };
    const template = await readFile(new URL(`browser/${name}`, import.meta.url), 'utf8');
    return template.replaceAll(/\{\{(\w+)\}\}/g, (_whole, part: string) => values[part] ?? '');
  };
  const page = once(async () =>
    render('page.html', {
      examples: exampleMenu(await servedExamples(schema)),
      starts: startCards(await servedExamples(schema)),
      options: dataElement('graphiql', { endpoint, introspection, signIn: signIn !== null }),
    }),
  );
  const signInPage = once(() =>
    render('sign-in.html', { endpoint, options: dataElement('sign-in', { exchange: signInPath(endpoint) }) }),
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
  '<button type="button" id="copy-button" popovertarget="copy">Copy as</button>';

/** Data for a script. With "<" escaped, nothing in it can close the element. */
const dataElement = (id: string, data: object): string =>
  `<script type="application/json" id="${id}">${JSON.stringify(data).replaceAll('<', '\\u003c')}</script>`;

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
