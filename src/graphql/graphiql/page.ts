/** GraphiQL for browsers that open the GraphQL endpoint. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { pageHeaders } from '../../http/headers.ts';
import { icon, logo } from '../../http/logo.ts';
import { assetsPath, mountAssets } from '../../http/static-files.ts';
import { graphiqlAssets } from './assets.ts';
import { exampleTabs } from './examples.ts';
import { type SignIn, signInPath } from './sign-in.ts';

export interface GraphiQLOptions {
  /** Hands the demo key to the user who has the link; null if no key may be shown. */
  readonly signIn: SignIn | null;
  /** The path of the page of webhooks; null where it is not served. */
  readonly webhooksPage: string | null;
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

/** Serves the files of the page, under the endpoint. */
export const mountGraphiQLAssets = (server: FastifyInstance, endpoint: string): void =>
  mountAssets(server, endpoint, graphiqlAssets);

/** Whether a browser opens the endpoint as a page. */
export const wantsPage = ({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean =>
  method === 'GET' && /\btext\/html\b/i.test(headers.accept ?? '');

/** Responds with the page. It contains no secret: anybody may read it. */
export async function sendPage(
  endpoint: string,
  { signIn, webhooksPage }: GraphiQLOptions,
  { query, incoming }: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { version } = await graphiqlAssets();
  const assets = assetsPath(endpoint, version);
  incoming.varyBy('accept');
  reply.headers(headers);
  if (signIn !== null && typeof query === 'object' && query !== null && 'token' in query) {
    return reply.send(renderSignIn(assets, signInPath(endpoint)));
  }
  return reply.send(
    render(
      assets,
      {
        title: 'Postern',
        logo,
        defaultEditorToolsVisibility: 'variables',
        signIn: signIn !== null,
        defaultTabs: await exampleTabs(),
      },
      webhooksPage,
    ),
  );
}

/** The page behind the link that the start prints. */
const renderSignIn = (assets: string, exchange: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Postern</title>
    <link rel="icon" href="data:image/svg+xml,${encodeURIComponent(icon)}">
    <script defer src="${assets}/sign-in.js"></script>
    <style>
      body { margin: 24px; font: 16px system-ui, sans-serif; color: #777; }
    </style>
  </head>
  <body>
    <noscript>GraphiQL needs JavaScript.</noscript>
    <p id="problem" role="status"></p>
    ${dataElement('sign-in', { exchange })}
  </body>
</html>
`;

/** Data for a script of the page. With "<" escaped, nothing in it can close the element. */
const dataElement = (id: string, data: object): string =>
  `<script type="application/json" id="${id}">${JSON.stringify(data).replaceAll('<', '\\u003c')}</script>`;

function render(assets: string, options: Readonly<Record<string, unknown>>, webhooksPage: string | null): string {
  const link =
    webhooksPage === null ? '' : `<nav id="pages"><a href="${webhooksPage}">Webhooks and their deliveries</a></nav>`;
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Postern</title>
    <link rel="icon" href="data:image/svg+xml,${encodeURIComponent(icon)}">
    <link rel="stylesheet" href="${assets}/graphiql.css">
    <script defer src="${assets}/graphiql.js"></script>
    <script defer src="${assets}/boot.js"></script>
    <style>
      body { margin: 0; height: 100vh; display: flex; flex-direction: column; }
      #root { flex: 1; min-height: 0; }
      /* GraphiQL is as high as the window, which it shares with the note. */
      #root .graphiql-container { height: 100%; }
      #note { margin: 0; padding: 8px 16px; font: 14px system-ui, sans-serif; color: #3b2a00; background: #ffe9a8; }
      #pages { padding: 6px 16px; font: 14px system-ui, sans-serif; background: #f3f0fd; }
      #pages a { color: #4a2fc0; }
      /* All examples in view, in as many rows as they take. */
      .graphiql-container .graphiql-session-header { height: auto; align-items: flex-start; }
      .graphiql-container .graphiql-tabs { flex-wrap: wrap; overflow: visible; row-gap: 4px; }
      /* GraphiQL animates tabs whose place has changed (a font arrived, the docs were opened) but shows it only while one
         has the focus: the tab would jump from under the pointer between press and release, and not be opened. */
      .graphiql-container .graphiql-tab { transform: none !important; }
      /* An id with many dashes must not look like a long line. */
      .graphiql-container .monaco-editor * { font-variant-ligatures: none !important; font-feature-settings: 'liga' 0, 'calt' 0 !important; }
      .loading { padding: 24px; font: 16px system-ui, sans-serif; color: #777; }
    </style>
  </head>
  <body class="no-focus-outline">
    <noscript>GraphiQL needs JavaScript. Any GraphQL client can read the schema without a key.</noscript>
    <p id="note" role="status" hidden>GraphiQL has no API key yet: open the link that the start of the gateway printed, or enter a key under Headers.</p>
    ${link}
    <div id="root"><p class="loading">Loading GraphiQL …</p></div>
    ${dataElement('graphiql', { assets, ...options })}
  </body>
</html>
`;
}
