/** GraphiQL for browsers that open the GraphQL endpoint. */
import { readFile } from 'node:fs/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import { pageHeaders } from '../../http/headers.ts';
import { icon } from '../../http/logo.ts';
import { assetsPath, mountAssets } from '../../http/static-files.ts';
import { once } from '../../once.ts';
import { graphiqlAssets } from './assets.ts';
import { exampleGroups } from './examples.ts';
import { mountSignIn, type SignIn, signInPath } from './sign-in.ts';

export interface GraphiQLOptions {
  /** Hands the demo key to the user who has the link; null if no key may be shown. */
  readonly signIn: SignIn | null;
  /** The path of the page of webhooks; null where it is not served. */
  readonly webhooksPage: string | null;
  /** The schema that is served; null if not everybody may read it. */
  readonly schema: GraphQLSchema | null;
}

/**
 * Everything is loaded from this origin. Monaco has styles in attributes; fonts and images are part of the style sheet.
 * The ban on frames prevents clickjacking of the "run" button.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "connect-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  'font-src data:',
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const headers = pageHeaders(policy);

/** Whether a browser opens the endpoint as a page. */
export const wantsPage = ({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean =>
  method === 'GET' && /\btext\/html\b/i.test(headers.accept ?? '');

/** Responds with the page. It contains no secret: anybody may read it. */
export type SendPage = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Serves what the page needs, under the endpoint. The endpoint itself serves the page with what is returned. */
export function mountGraphiQL(server: FastifyInstance, endpoint: string, options: GraphiQLOptions): SendPage {
  const { signIn, webhooksPage, schema } = options;
  const assets = once(() => graphiqlAssets(schema));
  mountAssets(server, endpoint, assets);
  if (signIn !== null) mountSignIn(server, endpoint, signIn);

  const render = async (name: string, parts: Readonly<Record<string, string>>): Promise<string> => {
    const path = assetsPath(endpoint, (await assets()).version);
    const values: typeof parts = { ...parts, assets: path, icon: `data:image/svg+xml,${encodeURIComponent(icon)}` };
    const template = await readFile(new URL(`browser/${name}`, import.meta.url), 'utf8');
    return template.replaceAll(/\{\{(\w+)\}\}/g, (_whole, part: string) => values[part] ?? '');
  };
  const page = once(() =>
    render('page.html', {
      webhooks: webhooksPage === null ? '' : `<a href="${webhooksPage}">Webhooks</a>`,
      examples: exampleMenu(),
      options: dataElement('graphiql', { endpoint, introspection: schema !== null, signIn: signIn !== null }),
    }),
  );
  const signInPage = once(() =>
    render('sign-in.html', { options: dataElement('sign-in', { exchange: signInPath(endpoint) }) }),
  );

  return async ({ query, incoming }, reply) => {
    incoming.varyBy('accept');
    const hasToken = signIn !== null && typeof query === 'object' && query !== null && 'token' in query;
    return reply.headers(headers).send(await (hasToken ? signInPage : page)());
  };
}

/** Data for a script of the page. With "<" escaped, nothing in it can close the element. */
const dataElement = (id: string, data: object): string =>
  `<script type="application/json" id="${id}">${JSON.stringify(data).replaceAll('<', '\\u003c')}</script>`;

/** The examples by group. The first of all has the focus when the menu opens. */
const exampleMenu = (): string =>
  exampleGroups
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
